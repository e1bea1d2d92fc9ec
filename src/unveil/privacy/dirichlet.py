"""The exact hockey-stick divergence between two Dirichlet releases, and what the mechanism truly guarantees.

The scale of the mechanism depends on the counts, so a neighbour is released with another scale. Then the
loss is L = log f₀(θ)/f₁(θ) = C + Σ w_i log θ_i with weights of both signs and of any size, which no single
beta tail can describe. Its moment generating function is a ratio of gamma functions,

    M(z) = e^{zC} Γ(A)/Γ(A + zW) · Π_i Γ(α_i + z w_i)/Γ(α_i),      A = Σα_i, W = Σw_i,

and E[(1 − e^{ε−L})₊] = (2πi)⁻¹ ∫ M(z) e^{−zε} / (z (z + 1)) dz along any line to the right of 0 inside its strip, or
1 plus the same integral along a line between −1 and 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from math import exp, inf, log, log1p, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, loggamma, polygamma, psi

from unveil.errors import NoValidScale, require, require_number
from unveil.numerics.beta import beta_tails
from unveil.numerics.search import bisect, lowest
from unveil.privacy.pair import MOST_MEMBERS, hockey_stick
from unveil.types import Array, Floats, as_numbers

#: How far the contour leans towards the side on which the integrand falls: it must not meet the poles on the axis.
_LEAN = 0.5
_ACCURACY = 1e-13
#: log Γ of a larger sum of shapes is known to about 10⁻⁵; for 10¹² the divergence would come out as zero.
_MOST_SHAPE = 1e10
#: Where `dirichlet_scale` ends its search; far below it two nearly equal terms would be subtracted.
_LEAST_SCALE = 1e-12


def dirichlet_delta(
    counts: ArrayLike, neighbour: ArrayLike, scale: float, neighbour_scale: float, epsilon: float
) -> float:
    """The least δ with P[g ∈ B] ≤ e^ε P[g' ∈ B] + δ for all B, g ~ Dir(σ η) and g' ~ Dir(σ' η').

    The exact form of what Iyer et al. (2016) bound in section 3. The pair is ordered. A class that only one of the two
    can show makes the two releases disjoint: δ = 1.

    Parameters
    ----------
    counts, neighbour : sequences of numbers
        η and η', at least two classes; neighbours differ in one label, but any two can be compared.
    scale, neighbour_scale : float
        σ and σ', at which the one and the other is released.
    epsilon : float
        ε, from 0 to 700.

    Returns
    -------
    float
        δ, from 0 to 1.

    Examples
    --------
    >>> from unveil import dirichlet_delta, dirichlet_scale
    >>> counts, neighbour = [50, 50, 50, 50, 800], [49, 50, 50, 50, 801]
    >>> scale, other = (dirichlet_scale(each, 0.05, 0.05) for each in (counts, neighbour))
    >>> dirichlet_delta(counts, neighbour, scale, scale, 0.05) < 1e-9
    True

    But the scale tells of the counts that it was found for:

    >>> round(dirichlet_delta(counts, neighbour, scale, other, 0.05), 3)
    0.069
    """
    here, there = _check_counts(counts, "counts"), _check_counts(neighbour, "neighbour")
    require(here.shape == there.shape, "neighbour must have as many classes as counts")
    _require_levels(scale, neighbour_scale, epsilon)
    if ((here > 0) != (there > 0)).any():
        return 1.0
    shapes, others = scale * here[here > 0], neighbour_scale * there[here > 0]
    moved = np.flatnonzero(here != there)
    if scale == neighbour_scale and _differ_in_one_label(here, there):
        loses, gains = sorted(moved, key=lambda k: there[k] - here[k])
        return float(hockey_stick(here[loses], here[gains], float(scale), float(epsilon)))
    require(
        max(shapes.sum(), others.sum()) <= _MOST_SHAPE,
        f"scale · counts, and neighbour_scale · neighbour, must sum to at most {_MOST_SHAPE:g}: else rounding rules",
    )
    if np.array_equal(shapes, others) or len(shapes) == 1:
        return 0.0
    if len(shapes) == 2:
        return _two_classes(shapes, others, epsilon)
    return _inversion(shapes, others, epsilon)


def _check_counts(counts: ArrayLike, name: str) -> Floats:
    values = as_numbers(counts, name)
    require(values.ndim == 1 and len(values) >= 2, f"{name} must be a vector of at least two classes")
    require(
        np.isfinite(values).all() and (values >= 0).all() and values.any(), f"{name} must be non-negative, not all zero"
    )
    require((values <= MOST_MEMBERS).all(), f"{name} must be at most {MOST_MEMBERS:g}: rounding decides beyond")
    return values


def _require_levels(scale: float, neighbour_scale: float, epsilon: float) -> None:
    for name, factor in (("scale", scale), ("neighbour_scale", neighbour_scale)):
        require_number(factor, name)
        require(
            _LEAST_SCALE <= factor < inf,
            f"{name} must be positive, finite and at least {_LEAST_SCALE:g}, not {factor!r}",
        )
    require_number(epsilon, "epsilon")
    require(0 <= epsilon <= 700, f"epsilon must not be negative, and at most 700, not {epsilon!r}")


def _differ_in_one_label(here: Array, there: Array) -> bool:
    return bool(np.array_equal(np.sort((there - here)[here != there]), [-1.0, 1.0]))


def _log_constant(shapes: Array, others: Array) -> float:
    """C: the loss at θ where every log θ_i is zero."""
    return float(gammaln(shapes.sum()) - gammaln(shapes).sum() - gammaln(others.sum()) + gammaln(others).sum())


def _two_classes(shapes: Array, others: Array, epsilon: float) -> float:
    """Two classes: the loss is a function of one log-odds, monotone or with one turning point."""
    w, constant = shapes - others, _log_constant(shapes, others)

    def excess(t: float) -> float:
        return float(constant - w[0] * np.logaddexp(0.0, -t) - w[1] * np.logaddexp(0.0, t) - epsilon)

    turn = log(w[0] / w[1]) if w[0] * w[1] > 0 else 0.0
    roots = [bisect(excess, *bracket) for bracket in _brackets(excess, turn)]
    edges = [-inf, *sorted(roots), inf]
    total = 0.0
    for low, high in pairwise(edges):
        middle = (max(low, high - 2.0) + min(high, low + 2.0)) / 2 if roots else turn
        if excess(middle) > 0:
            total += _between(shapes, low, high) - exp(epsilon) * _between(others, low, high)
    return max(total, 0.0)


def _brackets(excess: Callable[[float], float], turn: float) -> Iterator[tuple[float, float]]:
    """Where the loss crosses ε on either side of its turning point."""
    for side in (-1.0, 1.0):
        reach = 1.0
        while reach < 1e15 and excess(turn + side * reach) * excess(turn) > 0:
            reach *= 2.0
        if reach < 1e15:
            yield (turn - reach, turn) if side < 0 else (turn, turn + reach)


def _between(shapes: Array, low: float, high: float) -> float:
    """P[low < log-odds < high] for Beta(shapes)."""
    above_low, below_low = beta_tails(shapes[0], shapes[1], low)
    above_high, below_high = beta_tails(shapes[0], shapes[1], high)
    return above_low - above_high if above_low < 0.5 else below_high - below_low


def _inversion(shapes: Array, others: Array, epsilon: float) -> float:
    """Three classes or more: the module's integral along a leaning hyperbola through the saddle."""
    w = shapes - others
    live = w != 0
    alpha, w, total, drift = shapes[live], w[live], float(shapes.sum()), float(w.sum())
    offset = _log_constant(shapes, others) - epsilon
    base = float(gammaln(total) - gammaln(alpha).sum())

    def log_moment(z: Array) -> Array:
        moments = loggamma(alpha + z[..., None] * w).sum(axis=-1) - loggamma(total + z * drift)
        return np.asarray(base + z * offset + moments)

    mean_excess = offset + float((w * psi(alpha)).sum()) - drift * float(psi(total))
    side = 1.0 if mean_excess <= 0 else -1.0
    saddle, width = _saddle(alpha, w, total, drift, log_moment, side)
    # Far out the integrand behaves like e^{z·far}: lean to the side on which that falls.
    far = offset + float((w * np.log(np.abs(w))).sum()) - (drift * log(abs(drift)) if drift else 0.0)
    lean = -_LEAN if far > 0 else _LEAN
    previous = inf
    for points in (200, 400, 800, 1600, 3200, 6400):
        u = (np.arange(points) + 0.5) * (14.0 / points)
        z = saddle + width * (1j * np.sinh(u) + lean * (np.cosh(u) - 1.0))
        slope = width * (1j * np.cosh(u) + lean * np.sinh(u))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            terms = (np.exp(log_moment(z)) / (z * (z + 1.0)) * slope).imag
        value = float(terms.sum() * (14.0 / points) / np.pi) + (side < 0)  # the residue at 0
        if abs(value - previous) <= _ACCURACY + 1e-10 * abs(value):
            break
        previous = value
    require(
        np.isfinite(value),
        "the divergence could not be computed: at these counts and scales the two releases are numerically singular",
    )
    return min(max(value, 0.0), 1.0)


def _saddle(
    alpha: Array, w: Array, total: float, drift: float, log_moment: Callable[[Array], Array], side: float
) -> tuple[float, float]:
    """The saddle point of the integrand on the real axis, and the width of the integrand around it.

    It lies to the right of 0 where the mean loss is below ε, and between −1 and 0 where it is above.
    """
    limit = float(np.min(-alpha[w < 0] / w[w < 0], initial=inf)) * (1.0 - 1e-9) if side > 0 else 1.0

    def place(t: float) -> float:
        odds = exp(t)
        return side * (odds if limit == inf else limit * odds / (1.0 + odds))

    def height(t: float) -> float:
        z = place(t)
        return float(log_moment(np.array(z + 0j)).real) - log(abs(z)) - log1p(z)

    best = place(lowest(height, -18.0, 18.0))
    curvature = float((polygamma(1, alpha + best * w) * w**2).sum() - polygamma(1, total + best * drift) * drift**2)
    return best, 1.0 / sqrt(max(curvature, 0.0) + best**-2 + (1.0 + best) ** -2)


def neighbours(counts: ArrayLike) -> list[Array]:
    """The count vectors one relabelled member away, one of each kind: equal counts make equal neighbours."""
    values = np.asarray(counts, dtype=float)
    found: dict[tuple[float, float], Array] = {}
    for i in range(len(values)):
        for j in range(len(values)):
            if i != j and values[i] >= 1 and (values[i], values[j]) not in found:
                moved = values.copy()
                moved[i] -= 1
                moved[j] += 1
                found[values[i], values[j]] = moved
    return list(found.values())


def true_delta(
    counts: ArrayLike,
    epsilon: float,
    scale_of: Callable[[Array], float],
    possible: Callable[[Array], bool] = lambda _: True,
) -> float:
    """The δ that a Dirichlet release really has at ε: the worst over all neighbours, in both directions.

    `scale_of` is the rule that turns counts into a scale. Where it raises `NoValidScale` the mechanism
    returns an error, which is an output too: a neighbour that errs where `counts` does not (or the reverse)
    is told for sure. `possible` says which neighbours public knowledge leaves open; the others have nothing
    to hide.
    """
    values = np.asarray(counts, dtype=float)
    scale = _scale_or_none(scale_of, values)
    worst = 0.0
    for other in filter(possible, neighbours(values)):
        other_scale = _scale_or_none(scale_of, other)
        if (scale is None) != (other_scale is None):
            return 1.0
        if scale is not None and other_scale is not None:
            forward = dirichlet_delta(values, other, scale, other_scale, epsilon)
            backward = dirichlet_delta(other, values, other_scale, scale, epsilon)
            worst = max(worst, forward, backward)
    return worst


def _scale_or_none(scale_of: Callable[[Array], float], counts: Array) -> float | None:
    try:
        return scale_of(counts)
    except NoValidScale:
        return None
