"""Logistic regression as if nothing were noisy, its penalty cross-validated on the noisy data alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from replication.common.margin_losses import LOSSES
from replication.common.ridge_paths import fit_tuned
from replication.common.tuning import Tuning
from unveil.estimators.statistics.risk import Design
from unveil.types import Array, Floats


def tune_logistic(inputs: Floats, labels: Array, l2s: Sequence[float], folds: int) -> Floats:
    """θ, one row, at the best of these λ."""
    tuning = Tuning(l2s=tuple(l2s), folds=folds, samples=1, tolerance=1e-5)
    signs = np.where(labels > 0, 1, -1)[None]
    return fit_tuned(Design(inputs), signs, np.zeros(1), LOSSES["naive"](1), tuning).theta
