"""What the learners of figures with digits share: ascents by the spread estimator, and regression beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from replication.common.margin_losses import LOSSES
from replication.common.ridge_paths import fit_tuned
from replication.common.tuning import Tuning
from replication.papers.spread.digits import Part
from replication.papers.spread.settings import Ascent
from unveil.estimators.spread.ascent import SpreadLogistic
from unveil.estimators.statistics.risk import Design
from unveil.types import Array, Floats

#: Logistic regression as if nothing were noisy: without noise the samples are the data.
PLAIN: dict[str, Any] = {"samples": 1, "level": "z", "labels": "summed"}
#: As the paper does it: gradient steps on inputs as they are, to the last, and no intercept.
STEPS: dict[str, Any] = {"solver": "em", "standardise": False, "tol": 0, "fit_intercept": False}


def follow(seen: Part, ascent: Ascent, rng: Generator, **options: Any) -> tuple[Floats, Floats, int]:
    """The estimator's weights and intercepts at the checkpoints, and after how many steps the ascent ended.

    Where `tol` lets it, that is early.
    """
    steps = {**STEPS, "rate": ascent.rate, "iterations": max(ascent.iterations), "checkpoints": ascent.iterations}
    model = SpreadLogistic(random_state=rng, **{**steps, **options}).learn(seen.images, seen.labels.astype(np.intp))
    return model.coef_path_, model.intercept_path_, int(model.n_iter_)


def tune_logistic(inputs: Floats, labels: Array, l2s: Sequence[float], folds: int) -> Floats:
    """θ of logistic regression as if nothing were noisy, one row: its λ cross-validated on the noisy data alone."""
    tuning = Tuning(l2s=tuple(l2s), folds=folds, samples=1, tolerance=1e-5)
    signs = np.where(labels > 0, 1, -1)[None]
    return fit_tuned(Design(inputs), signs, np.zeros(1), LOSSES["naive"](1), tuning).theta
