"""Figure 5: the log-marginal likelihood of each observation, and its stationary points."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.papers.linear_moments.settings import Curve
from replication.papers.linear_moments.simplex import stationary_points
from unveil.theory.finite_models import log_marginal

COLUMNS = ["o", "theta", "log_marginal", "kind"]


def score(settings: Curve) -> pd.DataFrame:
    """The curve of each o on a grid of θ, then its stationary points, named by `kind`."""
    phi = np.array(settings.model.statistics, dtype=float)[:, None]
    matrix = np.array(settings.model.supervision, dtype=float)
    low, high = settings.theta_range
    grid = np.linspace(low, high, settings.points)
    rows: list[list[object]] = []
    for o, seen in enumerate(np.eye(len(matrix)), start=1):
        marked = [(float(theta), "") for theta in grid]
        marked += stationary_points(phi, matrix, seen, low, high)
        values = log_marginal(phi, np.array([theta for theta, _ in marked])[:, None], matrix, seen)
        rows += [[o, theta, float(value), kind] for (theta, kind), value in zip(marked, values, strict=True)]
    return pd.DataFrame(rows, columns=COLUMNS)
