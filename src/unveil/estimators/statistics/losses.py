"""Margin losses whose odd part is linear, and some whose is not (Patrini et al. 2016, section 2 and table 1).

A loss f with f(x) − f(−x) = −a·x splits into an even part, which no label enters, and the line −(a/2)·x, through
which the labels enter by the mean operator alone (theorem 3). Learners here need the even part only: its value,
its first and second derivative, and how fast it grows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from unveil.errors import require
from unveil.types import Floats

Curve: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True)
class LinearOddLoss:
    """f(x) = even(x) − (a/2)·x: a loss of Patrini et al. (2016, theorem 3), by its even part and its constant a.

    Parameters
    ----------
    name : str
        What it is called.
    a : float
        The constant of the odd part.
    even, slope, curvature : callable
        The even part as a function of margins, its first and its second derivative.
    growth : float
        The limit of ``even(x)/|x|``, or ∞. With it a direction along which the risk falls for ever is told for certain.
    steepest : float
        The largest second derivative; ∞ where there is a kink.
    convex : bool
        Whether the even part is convex.
    smoothed : callable, optional
        For an even part with a kink: a smooth stand-in of the given width that is nowhere below it.

    See Also
    --------
    symmetric_proper_loss : makes such a loss from a permissible generator.
    MeanOperatorClassifier : minimises its mean.

    Examples
    --------
    The logistic loss log(1 + e⁻ˣ) is one of them:

    >>> import numpy as np
    >>> from unveil.estimators.statistics.losses import LOSSES
    >>> loss = LOSSES["logistic"]
    >>> loss(np.array([-1.0, 0.0, 1.0])).round(3), loss.a
    (array([1.313, 0.693, 0.313]), 1.0)

    Another, given by its even part √(1 + x²):

    >>> from unveil import LinearOddLoss
    >>> mine = LinearOddLoss(
    ...     "mine", a=2.0, even=lambda x: np.hypot(x, 1), slope=lambda x: x / np.hypot(x, 1),
    ...     curvature=lambda x: np.hypot(x, 1) ** -3, growth=1.0, steepest=1.0,
    ... )
    >>> float(mine(np.zeros(1))[0])
    1.0
    """

    name: str
    a: float
    even: Curve
    slope: Curve
    curvature: Curve
    growth: float
    steepest: float
    convex: bool = True
    smoothed: Callable[[float], LinearOddLoss] | None = None

    def __post_init__(self) -> None:
        """A loss without a finite constant has no statistic."""
        require(isfinite(self.a), f"a must be a finite number, got {self.a}")
        require(self.growth >= 0, f"growth must be at least 0, got {self.growth}")

    def __call__(self, x: Floats) -> Floats:
        """The loss at margin x."""
        return self.even(x) - self.a / 2 * np.asarray(x, dtype=float)

    @property
    def lipschitz(self) -> float:
        """The steepest slope of a convex loss; ∞ if it is not Lipschitz."""
        return self.growth + abs(self.a) / 2


def _logistic_even(x: Floats) -> Floats:
    # ½·log(2 + eˣ + e⁻ˣ) = |x|/2 + log(1 + e^−|x|), which cannot overflow.
    size = np.abs(x)
    return size / 2 + np.log1p(np.exp(-size))


def _logistic_slope(x: Floats) -> Floats:
    return np.tanh(np.asarray(x) / 2) / 2


def _logistic_curvature(x: Floats) -> Floats:
    return 0.25 - _logistic_slope(x) ** 2


def _square_even(x: Floats) -> Floats:
    return 1 + np.square(x)


def _root(x: Floats, width: float) -> Floats:
    # `np.hypot` would bear the square of a size beyond 1e154, and takes ten times as long.
    x = np.asarray(x)
    real = x if x.dtype == np.float32 else x.astype(float, copy=False)
    size: Floats = np.sqrt(np.square(real) + width * width)
    return size


def _root_even(x: Floats, width: float, weight: float, offset: float) -> Floats:
    return weight * _root(x, width) + offset


def _root_slope(x: Floats, width: float, weight: float) -> Floats:
    return weight * np.asarray(x) / _root(x, width)


def _root_curvature(x: Floats, width: float, weight: float) -> Floats:
    # (w/h)² / h, not w²/h³: the cube of a small width would underflow.
    size = _root(x, width)
    curvature: Floats = weight * np.square(width / size) / size
    return curvature


def _absolute_even(x: Floats, weight: float) -> Floats:
    return weight * np.abs(x) + 1


def _absolute_slope(x: Floats, weight: float) -> Floats:
    return weight * np.sign(x)


def _huber_even(x: Floats) -> Floats:
    size = np.abs(x)
    return np.where(size <= 1, 1 + size**2, 2 * size)


def _huber_slope(x: Floats) -> Floats:
    return 2 * np.clip(x, -1, 1)


def _huber_curvature(x: Floats) -> Floats:
    return np.where(np.abs(x) <= 1, 2.0, 0.0)


def _cauchy_even(x: Floats) -> Floats:
    return np.log1p(np.square(x))


def _cauchy_slope(x: Floats) -> Floats:
    slope: Floats = 2 * np.asarray(x) / (1 + np.square(x))
    return slope


def _cauchy_curvature(x: Floats) -> Floats:
    square = np.square(x)
    curvature: Floats = 2 * (1 - square) / (1 + square) ** 2
    return curvature


def _zero(x: Floats) -> Floats:
    return np.zeros_like(x, dtype=float)


def _constant(x: Floats, value: float) -> Floats:
    return np.full_like(x, value, dtype=float)


def _twice(x: Floats) -> Floats:
    return 2 * np.asarray(x, dtype=float)


LOGISTIC = LinearOddLoss("logistic", 1.0, _logistic_even, _logistic_slope, _logistic_curvature, 0.5, 0.25)
SQUARE = LinearOddLoss("square", 4.0, _square_even, _twice, partial(_constant, value=2.0), inf, 2.0)
LINEAR = LinearOddLoss("linear", 2.0, _zero, _zero, _zero, 0.0, 0.0)
MODIFIED_HUBER = LinearOddLoss("modified_huber", 4.0, _huber_even, _huber_slope, _huber_curvature, 2.0, 2.0)
#: Theorem 3 asks for no convexity: log(1 + x²) − x is linear-odd, and its even part bends the wrong way beyond ±1.
CAUCHY = LinearOddLoss("cauchy", 2.0, _cauchy_even, _cauchy_slope, _cauchy_curvature, 0.0, 2.0, convex=False)


def _root_loss(name: str, a: float, width: float, weight: float, offset: float) -> LinearOddLoss:
    return LinearOddLoss(
        name,
        a,
        partial(_root_even, width=width, weight=weight, offset=offset),
        partial(_root_slope, width=width, weight=weight),
        partial(_root_curvature, width=width, weight=weight),
        weight,
        weight / width,
    )


MATSUSHITA = _root_loss("matsushita", 2.0, width=1.0, weight=1.0, offset=0.0)


def absolute_loss(rho: float = 1.0) -> LinearOddLoss:
    """ρ|x| − ρx + 1: linear-odd without a derivative at zero.

    It is 1 wherever the sign is right and 1 + 2ρ|x| where it is wrong, so θ = 0 minimises its labelled risk
    whatever the labels are: the loss is in the class of theorem 3 but nothing can be learnt with it.
    """
    require(rho > 0, f"rho must be positive, got {rho}")
    return LinearOddLoss(
        "absolute",
        2 * rho,
        partial(_absolute_even, weight=rho),
        partial(_absolute_slope, weight=rho),
        _zero,
        rho,
        inf,
        smoothed=partial(_root_loss, "absolute", 2 * rho, weight=rho, offset=1.0),
    )


LOSSES: Mapping[str, LinearOddLoss] = MappingProxyType(
    {loss.name: loss for loss in (LOGISTIC, SQUARE, MATSUSHITA, absolute_loss(), LINEAR, MODIFIED_HUBER, CAUCHY)}
)


def linear_odd_loss(loss: str | LinearOddLoss) -> LinearOddLoss:
    """The loss of that name, or the loss itself."""
    if isinstance(loss, LinearOddLoss):
        return loss
    require(
        isinstance(loss, str) and loss in LOSSES,
        f"loss must be a LinearOddLoss or one of {', '.join(LOSSES)}, got {loss!r}",
    )
    return LOSSES[loss]


def hinge(x: Floats) -> Floats:
    """max(0, 1 − x): its odd part bends, so the labels do not enter by the mean operator alone."""
    return np.maximum(0.0, 1 - np.asarray(x))


def squared_hinge(x: Floats) -> Floats:
    """max(0, 1 − x)²: not linear-odd either."""
    return np.square(hinge(x))


def exponential(x: Floats) -> Floats:
    """e⁻ˣ, the boosting loss: its odd part is −sinh."""
    boosted: Floats = np.exp(-np.asarray(x, dtype=float))
    return boosted


#: Losses in use that the theorem does not cover.
OTHER_LOSSES: Mapping[str, Curve] = MappingProxyType(
    {"hinge": hinge, "squared_hinge": squared_hinge, "exponential": exponential}
)
