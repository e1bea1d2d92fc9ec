"""Other f-divergences in place of KL, for a flipped binary variable (section 4.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.spread.divergences.settings import Score
from replication.randomness import Trial
from unveil.theory.spread_divergences import GENERATORS, fitted_share

COLUMNS = ["divergence", "p_flip", "n", "theta0", "trial", "theta", "target"]
TARGETS = ("datum", "frequencies")


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """Fits to simulated samples and, with n infinite and no trial, to the exact noisy frequencies."""
    rows: list[tuple[object, ...]] = []
    for p_flip, theta0 in product(settings.p_flips, settings.truths):
        one = p_flip + (1 - 2 * p_flip) * theta0
        samples = [(float("inf"), pd.NA, one)]
        samples += [(float(n), t.number, float(t.rng.binomial(n, one) / n)) for t in trials for n in settings.sizes]
        rows += [
            (name, p_flip, n, theta0, trial, fitted_share(name, frequency, p_flip, target=target), target)
            for name, target, (n, trial, frequency) in product(GENERATORS, TARGETS, samples)
        ]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"trial": "Int64"})
