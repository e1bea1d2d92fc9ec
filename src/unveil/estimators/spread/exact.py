"""The spread log-likelihood of labels by quadrature, where θᵀx is normal given the noisy input: no sampling.

For Gaussian noise and a normal prior that is so, (68); the law of the noisy inputs has no θ in it. So the likelihood of
a label is a one-dimensional integral, smooth in θ, and a quasi-Newton method climbs it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import expit

from unveil.estimators.spread.tables import TableScores
from unveil.types import Array, Floats

#: Nodes of the Gauss–Hermite rule.
NODES = 64
#: Observations handled at once.
BLOCK = 4096


@cache
def _rule() -> tuple[Floats, Floats]:
    """Nodes and weights for the mean over a standard normal variable; nodes without weight would cost time only."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    used = weights > 1e-14 * weights.max()
    return nodes[used], weights[used] / weights.sum()


def normal_log_likelihood(z: Floats, deviation: Floats, labels: Array, matrix: Floats) -> float:
    """The total log-likelihood of noisy labels whose scores are normal about z (n,) with these deviations (n,)."""
    nodes, weights = _rule()
    one = expit(z[:, None] + deviation[:, None] * nodes) @ weights
    seen = matrix[labels, 0] + (matrix[labels, 1] - matrix[labels, 0]) * one
    return float(np.log(np.maximum(seen, np.finfo(float).tiny)).sum())


@dataclass(frozen=True)
class NormalScores:
    """θᵀx of each clean input given its noisy one: normal with mean θᵀ`mean` and variance θᵀ`variance`θ.

    `mean` is (n, d); `variance` (d,) where the inputs are independent given what was seen, (d, d) where they are not.
    `matrix` holds p(c̃ | c), `labels` the noisy labels.
    """

    mean: Floats
    variance: Floats
    labels: Array
    matrix: Floats

    @property
    def records(self) -> int:
        """How many there are."""
        return len(self.mean)

    def _along(self, theta: Floats) -> tuple[Floats, float, Floats, Floats]:
        """Vθ, the deviation of the scores, and a rule for the mean over them."""
        turned = self.variance * theta if self.variance.ndim == 1 else self.variance @ theta
        deviation = float(np.sqrt(max(float(theta @ turned), 0.0)))
        return turned, deviation, *(_rule() if deviation > 0 else (np.zeros(1), np.ones(1)))

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """The total log-likelihood of the noisy labels, and its gradient."""
        turned, deviation, nodes, weights = self._along(theta)
        low, rise = self.matrix[self.labels, 0], self.matrix[self.labels, 1] - self.matrix[self.labels, 0]
        value, slope, pull = 0.0, np.zeros(len(theta)), 0.0
        for start in range(0, len(self.mean), BLOCK):
            part = slice(start, start + BLOCK)
            z = (self.mean[part] @ theta)[:, None] + deviation * nodes
            small = np.exp(-np.abs(z))
            one = np.where(z >= 0, 1, small) / (1 + small)
            steep = small / (1 + small) ** 2
            seen = np.maximum(low[part] + rise[part] * (one @ weights), np.finfo(float).tiny)
            value += float(np.log(seen).sum())
            share = rise[part] / seen
            slope += (share * (steep @ weights)) @ self.mean[part]
            pull += float(share @ (steep @ (weights * nodes)))
        return value, slope + (pull / deviation * turned if deviation > 0 else 0.0)

    def information(self, theta: Floats) -> Floats:
        """Minus the Hessian at θ, (d, d): the observed information."""
        turned, deviation, nodes, weights = self._along(theta)
        variance = np.diag(self.variance) if self.variance.ndim == 1 else self.variance
        along = turned / deviation if deviation > 0 else turned
        d = len(theta)
        both, mixed, twice, once = np.zeros((d, d)), np.zeros(d), 0.0, 0.0
        for start in range(0, len(self.mean), BLOCK):
            rows, labels = self.mean[start : start + BLOCK], self.labels[start : start + BLOCK]
            rise = self.matrix[labels, 1] - self.matrix[labels, 0]
            one = expit((rows @ theta)[:, None] + deviation * nodes)
            steep = one * (1 - one)
            bent = steep * (1 - 2 * one)
            share = rise / np.maximum(self.matrix[labels, 0] + rise * (one @ weights), np.finfo(float).tiny)
            # Derivatives of log p(c̃) by the mean of the score and by its deviation.
            m, t = share * (steep @ weights), share * (steep @ (weights * nodes))
            both += (rows * (share * (bent @ weights) - m * m)[:, None]).T @ rows
            mixed += (share * (bent @ (weights * nodes)) - m * t) @ rows
            twice += float((share * (bent @ (weights * nodes**2)) - t * t).sum())
            # Where the deviation is zero, its derivative over it tends to this.
            once += float(t.sum()) / deviation if deviation > 0 else float((share * bent[:, 0]).sum())
        cross = np.outer(mixed, along)
        hessian = both + cross + cross.T + twice * np.outer(along, along) + once * (variance - np.outer(along, along))
        return -(hessian + hessian.T) / 2


@dataclass(frozen=True)
class Climb:
    """Where a quasi-Newton ascent ended."""

    theta: Floats
    converged: bool
    iterations: int


def climb(scores: NormalScores | TableScores, penalty: Floats, iterations: int) -> Climb:
    """The maximum of the mean log-likelihood less ½·Σ penalty·θ², from θ = 0, by L-BFGS."""
    from scipy.optimize import minimize  # imported late: EM needs none of it

    n = scores.records

    def descent(theta: Floats) -> tuple[float, Floats]:
        value, slope = scores(theta)
        return -value / n + float(penalty @ theta**2) / 2, -slope / n + penalty * theta

    options = {"maxiter": iterations, "maxfun": 20 * iterations, "ftol": 1e-13, "gtol": 1e-7, "maxcor": 20}
    found = minimize(descent, np.zeros(len(penalty)), jac=True, method="L-BFGS-B", options=options)
    return Climb(found.x, bool(found.success), int(found.nit))
