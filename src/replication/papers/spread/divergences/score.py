"""Other f-divergences in place of KL, for a flipped binary variable (section 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pandas as pd

from replication.papers.spread.divergences.penalties import GENERATORS, fitted_law, fitted_share
from replication.papers.spread.divergences.settings import Score
from replication.randomness import Trial

COLUMNS = ["divergence", "p_flip", "n", "theta0", "trial", "theta", "target", "states"]
TARGETS = ("datum", "frequencies")
#: With three states: how what the first leaves is shared by the others.
OTHERS = np.array([2, 1]) / 3


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Fits to simulated samples and, with n infinite and no trial, to the exact noisy frequencies.

    With three states θ is the share of the first, and the law is free.
    """
    rows: list[tuple[object, ...]] = []
    limit, nobody = float("inf"), pd.NA
    for p_flip, theta0 in product(settings.p_flips, settings.truths):
        one = p_flip + (1 - 2 * p_flip) * theta0
        samples = [(float(n), t.number, float(t.rng.binomial(n, one) / n)) for t in trials for n in settings.sizes]
        rows += [
            (name, p_flip, n, theta0, trial, fitted_share(name, frequency, p_flip, target=target), target, 2)
            for name, target, (n, trial, frequency) in product(GENERATORS, TARGETS, samples)
        ]
    grid = np.linspace(0, 1, settings.points).round(12).tolist()
    for p_flip, theta0, name in product(settings.p_flips, grid, GENERATORS):
        one = p_flip + (1 - 2 * p_flip) * theta0
        rows += [
            (name, p_flip, limit, theta0, nobody, fitted_share(name, one, p_flip, target=target), target, 2)
            for target in TARGETS
        ]
        law = np.append(theta0, (1 - theta0) * OTHERS)
        rows.append((name, p_flip, limit, theta0, nobody, float(fitted_law(name, law, p_flip)[0]), "datum", 3))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"trial": "Int64"})
