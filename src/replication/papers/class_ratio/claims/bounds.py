"""Theorem 1 and its lemmas, against experiments with as many sets as classes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from replication.judging.claim import Claim, Matters, Origin
from replication.judging.statistics import by_trial, least, rows
from replication.judging.verdicts import Observation, Quantifier
from replication.papers.class_ratio.claims.common import ATTAINED, PROMISE, AtQuantile, from_pools

#: The probability with which each bound may fail: that of the configuration for Theorem 1 and Lemma 4, of which
#: Lemmas 1 and 3 get M and M + 1 parts of 2M + 1. Two fifths of it is the least that any of them gets.
FAILURE, PART = 0.05, 0.4
#: The largest Euclidean distance between two class ratios.
WIDEST = float(np.sqrt(2))

BROKEN = Matters(0.01, "a bound that is exceeded by one per cent is exceeded by more than rounding")
INFORMS = Matters(0.05, "five per cent below what always holds")


def _by_setting(scores: pd.DataFrame, quantity: str, value: pd.Series) -> dict[str, pd.Series]:
    """A value by trial, on each data set at each size."""
    return by_trial(rows(scores, quantity=quantity).assign(value=value), "value", ["dataset", "n"])


def fails_seldom(scores: pd.DataFrame, quantity: str, failure: float = FAILURE) -> list[Observation]:
    """The share of the bound that is left over in all but a share `failure` of the trials."""
    left = 1 - scores["actual"] / scores["bound"]
    return [AtQuantile(setting, values, failure) for setting, values in _by_setting(scores, quantity, left).items()]


def never_fails(scores: pd.DataFrame, quantity: str) -> list[Observation]:
    """The least share left over in any trial: an inequality between numbers, of which each trial is an instance."""
    own = rows(scores, quantity=quantity)
    return least(1 - own["actual"] / own["bound"], [own["dataset"], own["n"]], "{}, n = {:g}", ATTAINED)


def informative(scores: pd.DataFrame) -> list[Observation]:
    """Log of the largest distance there is over Theorem 1's bound."""
    return from_pools(_by_setting(scores, "theorem_1", np.log(WIDEST / scores["bound"])))


_LEFT = "what is left of the bound"
_UNIT = "of the bound"
_ON = "census", "mnist"
CLAIMS: tuple[Claim, ...] = (
    Claim("theorem-1",
          "With as many sets as classes ‖ρ̂ − ρ‖ is below Theorem 1's bound with probability at least 1 − δ.",
          "theorem 1", "theory", partial(fails_seldom, quantity="theorem_1"), Quantifier.ALL,
          f"{_LEFT}, in all but a share δ of the trials", _UNIT, BROKEN, _ON,
          short="Theorem 1 bounds the error"),
    Claim("lemma-1",
          "For labels drawn from the sets' proportions, ‖P̂ − P‖ is below its bound with probability 1 − δM/(2M + 1).",
          "lemma 1", "theory", partial(fails_seldom, quantity="lemma_1", failure=FAILURE * PART), Quantifier.ALL,
          f"{_LEFT}, in all but that share of the trials", _UNIT, BROKEN,
          short="Lemma 1 bounds the proportions' error"),
    Claim("lemma-2",
          "‖α̂ − α*‖ is at most the root of the difference of the objectives, divided by minsing(Â), which Lemma 2 "
          "prints under the root and Theorem 1 has outside of it.",
          "lemma 2", "theory", partial(never_fails, quantity="lemma_2_corrected"), Quantifier.ALL,
          f"{_LEFT}, least of all trials", _UNIT, PROMISE, _ON,
          short="Lemma 2 bounds the weights' error"),
    Claim("lemma-3",
          "The root of the difference of the objectives is below its bound with probability 1 − δ(M + 1)/(2M + 1).",
          "lemma 3", "theory", partial(fails_seldom, quantity="lemma_3", failure=FAILURE * PART), Quantifier.ALL,
          f"{_LEFT}, in all but that share of the trials", _UNIT, BROKEN, _ON,
          short="Lemma 3 bounds the objectives' difference"),
    Claim("lemma-4",
          "For Dirichlet releases ‖P̃ − P̂‖ is below Lemma 4's bound with probability 1 − ζ.",
          "lemma 4", "theory", partial(fails_seldom, quantity="lemma_4"), Quantifier.ALL,
          f"{_LEFT}, in all but a share ζ of the trials", _UNIT, BROKEN,
          short="Lemma 4 bounds what the mechanism adds"),
    Claim("theorem-1-informative",
          "At the sizes of the experiments Theorem 1's bound is below the largest distance of two class ratios.",
          "theorem 1; the sizes of section 4", "theory", informative, Quantifier.TYPICAL,
          "largest distance of two ratios over Theorem 1's bound", "factor (log)", INFORMS, _ON, Origin.BEYOND,
          short="Theorem 1 says something at the experiments' sizes"),
    Claim("lemma-2-as-printed",
          "Lemma 2 holds with minsing(Â) under the root, too, as it is printed.",
          "lemma 2, its misprint", "theory", partial(never_fails, quantity="lemma_2_printed"), Quantifier.ALL,
          f"{_LEFT}, least of all trials", _UNIT, PROMISE, _ON, Origin.BEYOND,
          short="Lemma 2 holds with minsing under the root"),
)  # fmt: skip
