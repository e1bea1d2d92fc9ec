"""What Laplace noise on two class counts guarantees once the noisy counts are made consistent.

With two classes the consistent counts are (z, m − z) with z = (m + x₁ − x₂)/2 cut to [0, m]. Cutting turns both tails
into points of positive probability, and the loss of noise on two counts grows outwards, so that the worst outcomes are
these two points. Any further processing that shows them, such as a Dirichlet draw with a vanishing parameter, has the
same level. Over all data sets the level of either rises to that of the noise itself, 2/scale, and never reaches it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log, log1p

import numpy as np
from scipy.special import betaln, log_expit

from unveil.errors import require
from unveil.types import Array, Floats


def consistent_laplace_epsilon(losing: float, gaining: float, scale: float) -> float:
    """The exact ε between the counts (losing, gaining) and (losing − 1, gaining + 1) under noise of this scale."""
    require(losing >= 1, "losing must be at least 1: a label moves out of that class")
    require(gaining >= 0, "gaining must not be negative")
    require(scale > 0, "scale must be positive")
    # The point "all of the class" is likelier the more the class has, and the less the less.
    full = _log_tail(2 * gaining, scale) - _log_tail(2 * (gaining + 1), scale)
    empty = _log_tail(2 * (losing - 1), scale) - _log_tail(2 * losing, scale)
    return max(full, empty)


def _log_tail(t: float, scale: float) -> float:
    """Log P[x₁ − x₂ ≥ t] for t ≥ 0: the difference of two Laplace variables."""
    return -t / scale + log1p(t / (2 * scale)) - log(2)


def prior_draw_delta(shapes: tuple[float, float], counts: tuple[int, int], scale: float) -> Callable[[float], float]:
    """δ at any ε between a draw from Beta(shapes) and one from the Dirichlet of noisy, consistent `counts`.

    The worse of the two directions. The latter draw is a mixture over the first class's noisy count z, with points of
    positive probability at the shares 0 and 1, which a beta variable never takes.
    """
    t, weight = _log_odds_grid()
    first = _log_odds_density(t, *shapes) * weight
    second = _mixture(t, counts, scale) * weight
    points = sum(exp(_log_tail(2 * count, scale)) for count in counts)

    def delta(epsilon: float) -> float:
        forward = float(np.maximum(first - exp(epsilon) * second, 0.0).sum())
        backward = float(np.maximum(second - exp(epsilon) * first, 0.0).sum())
        return max(forward, backward + points)

    return delta


def _log_odds_grid() -> tuple[Floats, Floats]:
    """Log-odds of a share, and the trapezoid rule's weights: dense in the middle, by powers far out on the left."""
    far = -np.exp(np.linspace(log(1e7), log(60.0), 3000, endpoint=False))
    t = np.concatenate([far, np.linspace(-60.0, 60.0, 12_001)])
    return t, np.gradient(t)


def _log_odds_density(t: Array, a: Array | float, b: Array | float) -> Floats:
    density: Floats = np.exp(a * log_expit(t) + b * log_expit(-t) - betaln(a, b))
    return density


def _mixture(t: Floats, counts: tuple[int, int], scale: float) -> Floats:
    """The density of the log-odds of a draw whose first count is (m + x)/2, x Laplace noise on both counts."""
    total, gap = sum(counts), counts[0] - counts[1]
    v, step = np.linspace(-16.0, 16.0, 1601, retstep=True)
    z, rest = total / (1 + np.exp(-v)), total / (1 + np.exp(v))
    distance = np.abs(z - rest - gap) / scale
    chances = (1 + distance) * np.exp(-distance) / (2 * scale) * z * rest / total * step
    density: Floats = np.zeros(len(t))
    for chance, mine, theirs in zip(chances, z, rest, strict=True):
        density += chance * _log_odds_density(t, mine, theirs)
    return density
