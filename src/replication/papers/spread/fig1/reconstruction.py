"""The reconstruction objective of section 4.3 for one flipped binary variable, in the limit of much data.

J_∞(θ), (38), is the mean log-likelihood of the clean value under the model's own posterior. Its gradient
passes through that posterior, which is what spoils it: with the posterior held fixed the same gradient is
that of EM, whose only interior root is the truth.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, xlog1py, xlogy

from unveil.errors import require
from unveil.types import Floats

#: Where roots are looked for: log-odds, fine enough to part the maximum from the minimum next to it.
_LOG_ODDS = np.linspace(-30, 30, 6001)


def _posterior(theta: Floats, p_flip: float) -> tuple[Floats, Floats]:
    """p_θ(x = 1 | x̃) for x̃ = 0, 1 along a first axis, and its derivative by θ."""
    one = np.array([p_flip, 1 - p_flip]).reshape(2, *[1] * np.ndim(theta))
    seen = one * theta + (1 - one) * (1 - theta)
    return one * theta / seen, one * (1 - one) / seen**2


def _seen(theta0: float, p_flip: float, dimensions: int) -> Floats:
    """The law of x̃ under the truth."""
    one = theta0 * (1 - p_flip) + (1 - theta0) * p_flip
    return np.array([1 - one, one]).reshape(2, *[1] * dimensions)


def objective(theta: Floats, theta0: float, p_flip: float) -> Floats:
    """J_∞(θ); 0 at both ends, by continuity, for any flip noise."""
    theta = np.asarray(theta, dtype=float)
    if p_flip == 0:
        return np.asarray(xlogy(theta0, theta) + xlog1py(1 - theta0, -theta))
    with np.errstate(divide="ignore", invalid="ignore"):
        posterior, _ = _posterior(theta, p_flip)
        terms = xlogy(posterior, theta) + xlog1py(1 - posterior, -theta)
    value = (_seen(theta0, p_flip, theta.ndim) * terms).sum(axis=0)
    return np.asarray(np.where((theta == 0) | (theta == 1), 0.0, value))


def slope(theta: Floats, theta0: float, p_flip: float, *, stopped: bool = False) -> Floats:
    """dJ_∞/dθ times θ(1 − θ); `stopped`: with the posterior held fixed, which is EM's gradient."""
    theta = np.asarray(theta, dtype=float)
    posterior, change = _posterior(theta, p_flip)
    pull = posterior - theta
    if not stopped:
        pull = pull + change * theta * (1 - theta) * np.log(theta / (1 - theta))
    return np.asarray((_seen(theta0, p_flip, theta.ndim) * pull).sum(axis=0))


def interior_maxima(theta0: float, p_flip: float) -> list[float]:
    """Local maxima of J_∞ strictly between 0 and 1, where its slope turns from positive to negative."""
    values = slope(expit(_LOG_ODDS), theta0, p_flip)
    turns = np.flatnonzero((values[:-1] > 0) & (values[1:] <= 0))
    return [
        float(expit(brentq(lambda at: float(slope(expit(at), theta0, p_flip)), _LOG_ODDS[i], _LOG_ODDS[i + 1])))
        for i in turns
    ]


def global_maxima(theta0: float, p_flip: float) -> list[float]:
    """Where J_∞ is largest: at the truth without noise; with noise at both ends, tied at 0."""
    return [theta0] if p_flip == 0 else [0.0, 1.0]


def em_limit(theta0: float, p_flip: float) -> float:
    """Where EM, the stopped gradient, ends: the root of its slope, or the end that it always points to."""
    if theta0 > 0.5:
        return 1 - em_limit(1 - theta0, p_flip)
    # Near zero the slope is a difference of small numbers, exact to far more digits than near one.
    if float(slope(np.array(1e-9), theta0, p_flip, stopped=True)) <= 1e-22:
        return 0.0
    return float(
        brentq(lambda at: float(slope(np.array(at), theta0, p_flip, stopped=True)), 1e-9, 1 - 1e-9, xtol=1e-14)
    )


def critical_flip(theta0: float) -> float:
    """The flip probability at which the interior maxima of J_∞ vanish; 0 where there never are any."""
    low, high = 1e-6, 0.5 - 1e-6
    if not interior_maxima(theta0, low):
        return 0.0
    require(not interior_maxima(theta0, high), "an interior maximum survives up to p_flip = 1/2")
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if interior_maxima(theta0, middle) else (low, middle)
    return (low + high) / 2
