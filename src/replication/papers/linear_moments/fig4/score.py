"""Figure 4: the exponential family in the simplex, the moment equations, and the steps of both estimators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from replication.papers.linear_moments.fig4.settings import Score
from replication.papers.linear_moments.simplex import global_maximum, simplex_preimage, simplex_relaxation
from replication.randomness import Trial
from unveil.estimators.moments.solvers import match_moments, maximise_marginal
from unveil.theory.finite_models import probabilities
from unveil.types import Floats

COLUMNS = ["curve", "theta", "p1", "p2", "p3"]


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Points of the simplex by curve: the family, the moment equations, and where each step of (17) ends.

    `equation` are those of q̂, `population` those of its expectation. `theta` is empty where a point is
    not a member of the family.
    """
    phi = np.array(settings.model.statistics, dtype=float)[:, None]
    matrix = np.array(settings.model.supervision, dtype=float)
    low, high = settings.theta_range
    grid = np.linspace(low, high, settings.points)
    truth = probabilities(phi, np.array([settings.theta]))
    n = settings.observations
    frequencies = trials[0].rng.multinomial(n, matrix @ truth) / n
    preimage = simplex_preimage(frequencies, matrix)
    relaxed = simplex_relaxation(frequencies, matrix)
    projected = match_moments(relaxed @ phi, phi)
    start = np.array([global_maximum(phi, matrix, frequencies, low, high)])
    marginal, _ = maximise_marginal(frequencies, phi, matrix, start)
    rows = [["family", theta, *p] for theta, p in zip(grid, probabilities(phi, grid[:, None]), strict=True)]
    for o in (0, 1):
        for lines, seen in (("equation", frequencies), ("population", matrix @ truth)):
            rows += [[f"{lines} {o + 1}", np.nan, *p] for p in equation_ends(matrix[o], seen[o])]
    rows += [["truth", settings.theta, *truth], ["preimage", np.nan, *preimage], ["relaxation", np.nan, *relaxed]]
    estimates = {"moments": projected, "marginal": marginal}
    rows += [[name, theta[0], *probabilities(phi, theta)] for name, theta in estimates.items()]
    return pd.DataFrame(rows, columns=COLUMNS)


def equation_ends(row: Floats, value: float) -> list[Floats]:
    """Where the line Σ_y S(o | y) p(y) = q̂(o) meets the edges of the simplex: two points, or none."""
    ends: list[Floats] = []
    for y, z in ((0, 1), (1, 2), (2, 0)):
        if row[y] != row[z]:
            share = (value - row[z]) / (row[y] - row[z])
            if 0 <= share <= 1:
                p = np.zeros(3)
                p[y], p[z] = share, 1 - share
                ends.append(p)
    return ends[:2]
