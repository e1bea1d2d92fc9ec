"""Sections 3.1 and 4.3: class ratios from sets whose proportions are veiled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import pandas as pd

from replication.judging.statistics import differences, number, over_trials, rows
from replication.judging.verdicts import CannotTell, Claim, Matters, Observation, Origin, Quantifier
from replication.papers.class_ratio.claims.common import (
    ERROR,
    MANY,
    OURS,
    PRIVATE,
    in_common,
    jackknifed,
    log_ratio,
    only,
    saved,
)

#: What the introduction prints of Mnist, in per cent, and half of the ten to which it is rounded.
PRINTED_SAVING, ROUNDING = 60.0, 5.0
#: ASSUME: errors are unacceptably large where they are twice those without privacy.
UNACCEPTABLE = 2.0
#: ASSUME: of figure 3's mixtures, which are numbered from the most skewed one to the even one, these are skewed.
SKEWED = (0,)

SAVING = Matters(5.0, "the percentages in the introduction are given in tens")
DOUBLE = Matters(float(np.log(1.1)), "a tenth of an error is the least that shows on figure 3's axes")
SHARE = Matters(0.1, "less than a tenth of a distortion passed on would leave the estimate insensitive to it")
ATTACK = Matters(0.02, "two members in a hundred more than a guess")


def _mmd(scores: pd.DataFrame) -> pd.DataFrame:
    """The paper's estimator."""
    return only(scores, estimator="mmd", method="mmd")


def _contrast(
    scores: pd.DataFrame, more: Mapping[str, object], less: Mapping[str, object], by: Sequence[str], figure: str = "fig3"
) -> list[Observation]:
    """Differences of error by trial, with what trials share in their data and not in the mechanisms' draws."""
    samples = differences(scores, "l1_error", more, less, by)
    return over_trials(samples, shared=in_common(figure, samples, _noise(scores, more, less, by)))


def _noise(
    scores: pd.DataFrame, more: Mapping[str, object], less: Mapping[str, object], by: Sequence[str]
) -> dict[str, float]:
    """The variance that several draws of the mechanisms within a trial leave in the trial's mean."""
    if "draw" not in scores:
        return {}
    found: dict[str, float] = {}
    for chosen in (more, less):
        own = rows(scores, **chosen).dropna(subset=["l1_error"])
        for keys, part in own.groupby([*by, "mechanism"]):
            # All other columns but the draw, such as which class is common, are averaged in each.
            table = part.pivot_table(index="trial", columns="draw", values="l1_error")
            if table.shape[1] > 1:
                mechanisms = part_count(own, by, keys[:-1])
                setting = ", ".join(_word(column, key) for column, key in zip(by, keys[:-1], strict=True))
                found[setting] = found.get(setting, 0.0) + float(
                    table.var(axis=1, ddof=1).mean() / table.shape[1] / mechanisms**2
                )
    return found
