"""The voting example: three estimators of a share from flipped votes, and what repeated reports reveal."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.spread.voting.settings import Score
from replication.papers.spread.voting.shares import clipped_share, corrected_share, printed_share, revealed
from replication.randomness import Trial
from unveil.mechanisms.flips import LabelFlips

COLUMNS = ["n", "theta", "p10", "p01", "estimator", "trial", "estimate", "releases"]
ESTIMATORS = {"printed": printed_share, "corrected": corrected_share, "clipped": clipped_share}


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Estimates from simulated elections, each voter asked once; then one voter asked repeatedly (exact)."""
    rows = [row for trial in trials for row in _elections(trial, settings)]
    rows += [row for p, m in product(settings.release_flips, settings.releases) for row in _repeated(p, m)]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"trial": "Int64", "releases": "Int64"})


def _elections(trial: Trial, settings: Score) -> list[tuple[Any, ...]]:
    rows: list[tuple[Any, ...]] = []
    for n, theta, (p10, p01) in product(settings.voters, settings.shares, settings.flips):
        rng = trial.rng_of(n, theta, p10, p01)
        votes = (rng.random(n) < theta).astype(np.uint8)
        frequency = float(LabelFlips(p10, p01).release(votes, rng).mean())
        rows += [
            (n, theta, p10, p01, name, trial.number, float(estimate(frequency, p10, p01)), 1)
            for name, estimate in ESTIMATORS.items()
        ]
    return rows


def _repeated(p_flip: float, releases: int) -> list[tuple[Any, ...]]:
    """Expected posterior of the true vote and how often the majority is right; either vote is as likely."""
    posterior, majority = revealed(LabelFlips(p_flip).matrix, releases, 0.5)
    return [
        (1, 0.5, p_flip, p_flip, name, pd.NA, value, releases)
        for name, value in (("posterior", posterior), ("majority", majority))
    ]
