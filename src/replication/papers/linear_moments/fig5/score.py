"""Figure 5: the log-marginal likelihood of each observation, and its stationary points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.randomness import Trial
from unveil.theory.finite_models import log_marginal
from unveil.theory.geometry import stationary_points
from unveil.types import Arrays

COLUMNS = ["o", "theta", "log_marginal", "kind"]


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    model: Mapping[str, Any],
    theta_range: Sequence[float],
    points: int,
) -> pd.DataFrame:
    """The curve of each o on a grid of θ, then its stationary points, named by `kind`."""
    phi = np.array(model["statistics"], dtype=float)[:, None]
    matrix = np.array(model["supervision"], dtype=float)
    low, high = theta_range
    grid = np.linspace(low, high, points)
    rows: list[list[object]] = []
    for o, seen in enumerate(np.eye(len(matrix)), start=1):
        marked = [(float(theta), "") for theta in grid]
        marked += stationary_points(phi, matrix, seen, low, high)
        values = log_marginal(phi, np.array([theta for theta, _ in marked])[:, None], matrix, seen)
        rows += [[o, theta, float(value), kind] for (theta, kind), value in zip(marked, values, strict=True)]
    return pd.DataFrame(rows, columns=COLUMNS)
