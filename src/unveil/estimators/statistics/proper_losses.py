"""Symmetric proper losses, made from a permissible generator (Patrini et al. 2016, table 1 and section 2).

φ is strictly convex and differentiable on (0, 1) and symmetric about ½. The loss is a_φ + φ*(−x)/b_φ with the convex
conjugate φ*(x) = sup over u in [0, 1] of x·u − φ(u). Symmetry gives φ*(−x) = φ*(x) − x, hence a linear odd part with
a = 1/b_φ. Nothing but φ and its derivatives is needed: the maximiser is found by bisection, for all margins at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import isfinite

import numpy as np

from unveil.errors import require, require_number
from unveil.estimators.statistics.losses import Curve, LinearOddLoss
from unveil.types import Floats

#: Halvings of [0, ½]: after this many the bracket is below the spacing of doubles near its left end that matters.
HALVINGS = 64


@dataclass(frozen=True)
class PermissibleGenerator:
    """φ on [0, 1] with its derivatives on (0, 1)."""

    phi: Curve
    derivative: Curve
    second_derivative: Curve

    def smaller_maximiser(self, x: Floats) -> Floats:
        """The u in [0, ½] with φ'(u) = −|x|, or 0 where φ' never gets that low.

        Only the half below ½ is searched: doubles are dense near 0 and coarse near 1, and symmetry gives the rest.
        """
        target = -np.abs(np.asarray(x, dtype=float))
        low, high = np.zeros_like(target), np.full_like(target, 0.5)
        for _ in range(HALVINGS):
            # The geometric mean, where both ends are positive, reaches 1e-300 as fast as 0.1.
            middle = np.where(low > 0, np.sqrt(low * high), high / 16)
            above = self.derivative(middle) > target
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        # φ' > −|x| down to the smallest number tried means that the supremum sits at the end of the interval.
        found: Floats = np.where(low > 0, (low + high) / 2, 0.0)
        return found


def _conjugate_even(x: Floats, generator: PermissibleGenerator, a_phi: float, b_phi: float) -> Floats:
    # (φ*(x) + φ*(−x))/2 = φ*(−|x|) + |x|/2, and the maximiser for −|x| is the one in [0, ½].
    size = np.abs(np.asarray(x, dtype=float))
    u = generator.smaller_maximiser(size)
    even: Floats = a_phi + (size / 2 - size * u - generator.phi(u)) / b_phi
    return even


def _conjugate_slope(x: Floats, generator: PermissibleGenerator, b_phi: float) -> Floats:
    u = generator.smaller_maximiser(x)
    slope: Floats = np.sign(x) * (0.5 - u) / b_phi
    return slope


def _conjugate_curvature(x: Floats, generator: PermissibleGenerator, b_phi: float) -> Floats:
    # (φ*)'' = 1/φ''(u) inside the interval; flat where the supremum sits at its end.
    u = generator.smaller_maximiser(x)
    inside = u > 0
    bend = generator.second_derivative(np.where(inside, u, 0.5))
    return np.where(inside, 1 / (b_phi * bend), 0.0)


def symmetric_proper_loss(
    generator: PermissibleGenerator, b_phi: float, a_phi: float = 0.0, *, name: str = "proper"
) -> LinearOddLoss:
    """The loss a_φ + φ*(−x)/b_φ of a permissible generator φ, with a = 1/b_φ (Patrini et al. 2016, table 1).

    Parameters
    ----------
    generator : PermissibleGenerator
        φ, strictly convex on (0, 1) and symmetric about ½, with its derivatives.
    b_phi : float
        b_φ > 0.
    a_phi : float
        a_φ, which only lifts the loss.
    name : str
        What the loss is called.

    Returns
    -------
    LinearOddLoss
        The loss, for `MeanOperatorClassifier`.

    See Also
    --------
    LinearOddLoss : what it makes.

    Examples
    --------
    Minus the entropy gives the logistic loss:

    >>> import numpy as np
    >>> from unveil import symmetric_proper_loss
    >>> from unveil.estimators.statistics.proper_losses import ENTROPY
    >>> symmetric_proper_loss(ENTROPY, b_phi=1.0)(np.array([-1.0, 0.0, 1.0])).round(3)
    array([1.313, 0.693, 0.313])
    """
    require(isinstance(generator, PermissibleGenerator), "generator must be a PermissibleGenerator")
    require_number(b_phi, "b_phi")
    require_number(a_phi, "a_phi")
    require(0 < b_phi < np.inf, f"b_phi must be positive and finite, got {b_phi}")
    require(isfinite(a_phi), f"a_phi must be finite, got {a_phi}")
    inside = np.linspace(0.01, 0.99, 99)
    values, bends = generator.phi(inside), generator.second_derivative(inside)
    require(np.all(np.isfinite(values)), "phi must be finite inside (0, 1)")
    require(np.allclose(values, values[::-1], rtol=1e-9, atol=1e-12), "phi must be symmetric about 1/2")
    require(np.all(bends > 0), "phi must be strictly convex: its second derivative must be positive")
    return LinearOddLoss(
        name,
        1 / b_phi,
        partial(_conjugate_even, generator=generator, a_phi=a_phi, b_phi=b_phi),
        partial(_conjugate_slope, generator=generator, b_phi=b_phi),
        partial(_conjugate_curvature, generator=generator, b_phi=b_phi),
        growth=1 / (2 * b_phi),
        steepest=float(np.max(1 / (b_phi * bends))),
    )


def _entropy(u: Floats) -> Floats:
    v = 1 - np.asarray(u)
    return np.where(u > 0, u * np.log(np.where(u > 0, u, 1)), 0) + np.where(v > 0, v * np.log(np.where(v > 0, v, 1)), 0)


def _entropy_derivative(u: Floats) -> Floats:
    return np.log(u) - np.log1p(-np.asarray(u))


def _entropy_bend(u: Floats) -> Floats:
    return 1 / (u * (1 - u))


def _root(u: Floats) -> Floats:
    return -np.sqrt(u * (1 - u))


def _root_derivative(u: Floats) -> Floats:
    return -(0.5 - u) / np.sqrt(u * (1 - u))


def _root_bend(u: Floats) -> Floats:
    return 0.25 / (u * (1 - u)) ** 1.5


#: −entropy gives the logistic loss (b = 1), −√(u(1−u)) Matsushita's (b = ½).
ENTROPY = PermissibleGenerator(_entropy, _entropy_derivative, _entropy_bend)
ROOT = PermissibleGenerator(_root, _root_derivative, _root_bend)


def mixture(first: PermissibleGenerator, second: PermissibleGenerator, weight: float) -> PermissibleGenerator:
    """weight·φ₁ + (1 − weight)·φ₂: permissible again, and its conjugate has no closed form in general."""
    require(0 <= weight <= 1, f"weight must lie in [0, 1], got {weight}")

    def blend(one: Curve, other: Curve) -> Curve:
        return lambda u: weight * one(u) + (1 - weight) * other(u)

    return PermissibleGenerator(
        blend(first.phi, second.phi),
        blend(first.derivative, second.derivative),
        blend(first.second_derivative, second.second_derivative),
    )
