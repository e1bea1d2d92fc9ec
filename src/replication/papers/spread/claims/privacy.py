"""Claims on privacy and deniability."""

from __future__ import annotations

from math import log

import numpy as np
import pandas as pd

from replication.judging.claim import Claim, Matters, Origin
from replication.judging.statistics import exactly, over_trials, rows
from replication.judging.verdicts import CannotTell, Observation, Quantifier
from replication.papers.spread.claims.common import MNIST

#: ASSUME: who is right this often can "confidently state" what a person's image is.
CONFIDENT = 0.95
#: ASSUME: labels can be denied where an attacker is sure of no more than this share of users.
FEW = 0.05


def deniable(scores: pd.DataFrame) -> list[Observation]:
    """A small share of users less those of whose labels the attacker is sure, by the pair, and right."""
    if "sure" not in scores:
        raise CannotTell("the scores do not say of whom the attacker is sure")
    own = rows(scores, attack="label_pair")
    return _below(FEW, own, own["sure"] * own["right_when_sure"].fillna(0.0))


def unrecognised(scores: pd.DataFrame) -> list[Observation]:
    """What the share of images that are found among the candidates leaves of confidence, at every noise level."""
    own = rows(scores, attack="identity")
    return _below(CONFIDENT, own, own["success"])


def _below(limit: float, scores: pd.DataFrame, shares: pd.Series) -> list[Observation]:
    """How far below the limit a share of users is, for every kind and level of noise."""
    samples, alike = {}, {}
    for (noise, level), part in scores.assign(share=shares).groupby(["noise", "level"]):
        setting = f"{noise}, level {level:g}".replace("_", " ")
        share = part.groupby("trial")["share"].mean()
        samples[setting] = limit - share
        # Where the same was true of all users in all trials, each of them speaks for those that were not seen.
        if (share == 0.0).all() or (share == 1.0).all():
            alike[setting] = int(part["users"].min())
    return over_trials(samples, span=1.0, records=alike)


def more_noise_is_more_private(scores: pd.DataFrame) -> list[Observation]:
    """Log of a pixel's and an image's exact ε at the smaller over the larger variance of section 6.1."""
    own = rows(scores, noise="gaussian")
    found = {}
    for unit, part in own.groupby("unit"):
        curve = part.set_index("level")["epsilon"].sort_index()
        if len(curve) < 2:
            raise CannotTell("the scores have one variance only")
        found[str(unit)] = float(np.log(curve.iloc[0] / curve.iloc[-1]))
    return exactly(found)


CLAIMS: tuple[Claim, ...] = (
    Claim("plausible-deniability",
          "No-one can confidently state a user's label from the released pair of noisy image and noisy label.",
          "beyond sections 1 and 5, in which users wish for it", "attack", deniable, Quantifier.ALL,
          f"{FEW:g} minus the share of users of whose labels an attacker is sure and right", "share of users",
          Matters(0.01, "one user in a hundred"), MNIST, Origin.BEYOND,
          short="Labels can be denied plausibly"),
    Claim("images-private",
          "No-one can confidently state which clean image a noisy one was (one of a list of candidates, all known).",
          "beyond section 7, which has it of another paper", "attack", unrecognised, Quantifier.ALL,
          "19 in twenty minus the share of images that an attacker finds among its candidates", "share of users",
          Matters(0.01, "one user in a hundred"), MNIST, Origin.BEYOND,
          short="Noisy images preserve privacy"),
    Claim("more-noise-more-privacy",
          "σ² = 0.5 in place of 0.1 is a significant increase in privacy.",
          "section 6.1", "privacy", more_noise_is_more_private, Quantifier.ALL,
          "exact ε at σ² = 0.1 over that at σ² = 0.5 (δ as in the figure)", "factor (log)",
          Matters(log(1.5), "“significant”: half as much again"),
          short="More Gaussian noise is much more private"),
)  # fmt: skip
