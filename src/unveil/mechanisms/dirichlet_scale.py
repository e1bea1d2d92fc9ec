"""The scale σ of the scaled Dirichlet (Iyer, Nath and Sarawagi 2016, section 3), found exactly.

Two calibrations: `paper` asks that max_ij P[θ ∉ Θ_ij] ≤ δ (equation 9), `tight` that the hockey-stick
divergence between Dir(ση) and Dir(ση') at the same σ is at most δ for every neighbour η' and in both
directions.

Which pairs of classes can bind: both losses fall as the count that loses a label grows, and `tight` falls
in both counts; so the smallest classes bind. As functions of log σ both are quasi-convex (`tight` even
increases), so the feasible scales form an interval whose upper end is what we look for. The tests check
both facts on wide grids.
"""

from __future__ import annotations

from math import exp, isnan, log, nan, sqrt

import numpy as np
from numba import njit
from numpy.typing import ArrayLike

from unveil.errors import NoValidScale, require
from unveil.mechanisms.checks import check_counts, check_demand
from unveil.numerics.search import GOLDEN
from unveil.privacy.pair import MOST_MEMBERS, hockey_stick, loss_tail
from unveil.types import Array

_LOWEST, _HIGHEST = log(1e-12), log(1e18)


@njit(cache=True)
def _candidates(counts: Array, tight: bool) -> Array:
    """The pairs (count that loses a label, count that gains it) of which one binds; `counts` ascending."""
    first, second = counts[0], counts[1]
    if tight:
        return np.array([[first, second], [second, first], [first + 1.0, second - 1.0], [second + 1.0, first - 1.0]])
    pairs = np.empty((len(counts), 2))
    pairs[0] = second, first
    for k in range(1, len(counts)):
        pairs[k] = first, counts[k]
    return pairs


@njit(cache=True)
def _pair_loss(log_scale: float, pair: Array, epsilon: float, tight: bool) -> float:
    if tight:
        return hockey_stick(pair[0], pair[1], exp(log_scale), epsilon)
    return loss_tail(pair[0], pair[1], exp(log_scale), epsilon)


@njit(cache=True)
def _loss(log_scale: float, pairs: Array, epsilon: float, tight: bool) -> float:
    """The δ that the rule charges for this scale: the worst of the pairs."""
    worst = 0.0
    for k in range(len(pairs)):
        if k == 0 or pairs[k, 0] != pairs[k - 1, 0] or pairs[k, 1] != pairs[k - 1, 1]:
            worst = max(worst, _pair_loss(log_scale, pairs[k], epsilon, tight))
    return worst


@njit(cache=True)
def _bottom(low: float, high: float, pairs: Array, epsilon: float, tight: bool) -> float:
    """Where a quasi-convex loss is least between `low` and `high`: golden section."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = _loss(left, pairs, epsilon, tight), _loss(right, pairs, epsilon, tight)
    for _ in range(60):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = _loss(left, pairs, epsilon, tight)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = _loss(right, pairs, epsilon, tight)
    return left if at_left <= at_right else right


@njit(cache=True)
def _crossing(low: float, high: float, pairs: Array, epsilon: float, delta: float, tight: bool) -> float:
    """The scale between a feasible `low` and an infeasible `high`, from below (Illinois method)."""
    below = _loss(low, pairs, epsilon, tight) - delta
    above = _loss(high, pairs, epsilon, tight) - delta
    for step in range(200):
        if high - low < 1e-9:
            break
        guess = low - below * (high - low) / (above - below) if step % 3 < 2 else 0.5 * (low + high)
        if not low < guess < high:
            guess = 0.5 * (low + high)
        value = _loss(guess, pairs, epsilon, tight) - delta
        if value <= 0.0:
            low, below, above = guess, value, above * 0.5
        else:
            high, above, below = guess, value, below * 0.5
    return low


@njit(cache=True)
def _largest_log_scale(pairs: Array, epsilon: float, delta: float, tight: bool, guess: float) -> float:
    """The largest log σ with a loss of at most δ, or nan; for these pairs alone."""
    step = 1.0
    value = _loss(guess, pairs, epsilon, tight)
    if value > delta:
        if _loss(guess + 0.01, pairs, epsilon, tight) < value:
            guess = _bottom(guess, guess + 30.0, pairs, epsilon, tight)
        elif _loss(_LOWEST, pairs, epsilon, tight) <= delta:
            return _descend(guess, step, pairs, epsilon, delta, tight)
        else:
            guess = _bottom(_LOWEST, guess, pairs, epsilon, tight)
        if _loss(guess, pairs, epsilon, tight) > delta:
            return nan
    high = guess + step
    while _loss(high, pairs, epsilon, tight) <= delta:
        if high > _HIGHEST:
            return nan
        guess, step = high, 2.0 * step
        high = guess + step
    return _crossing(guess, high, pairs, epsilon, delta, tight)


@njit(cache=True)
def _descend(high: float, step: float, pairs: Array, epsilon: float, delta: float, tight: bool) -> float:
    """The crossing below an infeasible `high`, where the lowest scale of all is known to be feasible."""
    low = high - step
    while low > _LOWEST and _loss(low, pairs, epsilon, tight) > delta:
        high, step = low, 2.0 * step
        low = high - step
    return _crossing(max(low, _LOWEST), high, pairs, epsilon, delta, tight)


@njit(cache=True)
def _first_guess(counts: Array, epsilon: float, delta: float) -> float:
    """Log σ if the loss were Gaussian: its variance is about σ(1/η_i + 1/η_j)."""
    quantile = sqrt(-2.0 * log(delta)) if delta < 0.1 else 1.3
    deviation = 2.0 * epsilon / (quantile + sqrt(quantile * quantile + 2.0 * epsilon))
    return 2.0 * log(deviation) - log(1.0 / counts[0] + 1.0 / counts[1])


@njit(cache=True)
def _solve(counts: Array, epsilon: float, delta: float, tight: bool) -> float:
    """The largest log σ for ascending counts, or nan: one pair is solved for, the others are checked."""
    if counts[0] < 2.0:
        return nan
    pairs = _candidates(counts, tight)
    guess = _first_guess(counts, epsilon, delta)
    binding, worst = 0, -1.0
    for k in range(min(len(pairs), 4)):
        loss = _pair_loss(guess, pairs[k], epsilon, tight)
        if loss > worst:
            binding, worst = k, loss
    found = _largest_log_scale(pairs[binding : binding + 1], epsilon, delta, tight, guess)
    if found == found and _loss(found, pairs, epsilon, tight) > delta:
        return _largest_log_scale(pairs, epsilon, delta, tight, found)
    return found


@njit(cache=True)
def _solve_all(counts: Array, epsilon: float, delta: float, tight: bool) -> Array:
    """`_solve` for every row, whose counts must rise."""
    found = np.empty(len(counts))
    for k in range(len(counts)):
        found[k] = exp(_solve(counts[k], epsilon, delta, tight))
    return found


def dirichlet_scales(counts: ArrayLike, epsilon: float, delta: float, rule: str = "paper") -> Array:
    """`dirichlet_scale` of every row of `counts`, with nan where no scale exists."""
    rows = _computable(check_counts(counts, dimensions=2))
    check_demand(epsilon, delta)
    return np.asarray(_solve_all(np.sort(rows, axis=1), epsilon, delta, is_tight(rule)))


def is_tight(rule: str) -> bool:
    """Whether the rule is `tight`; anything but the two rules is an error."""
    require(isinstance(rule, str) and rule in ("paper", "tight"), f"rule must be 'paper' or 'tight', not {rule!r}")
    return rule == "tight"


def dirichlet_scale(counts: ArrayLike, epsilon: float, delta: float, rule: str = "paper") -> float:
    """The largest scale σ of a Dirichlet release that `rule` allows for (ε, δ) (Iyer et al. 2016, section 3).

    Parameters
    ----------
    counts : sequence of whole numbers
        η, the members of each class: at least two classes.
    epsilon, delta : float
        The demanded guarantee, ε > 0 and 0 < δ < 1.
    rule : {"paper", "tight"}
        Bound the probability of equation (9), or the exact divergence from every neighbour at the same scale.

    Returns
    -------
    float
        σ: proportions drawn from Dir(ση) vary the less the larger it is.

    Raises
    ------
    NoValidScale
        No scale meets the demand: always so when a class has fewer than two members.

    Examples
    --------
    >>> from unveil import dirichlet_scale
    >>> [round(dirichlet_scale([120, 80, 300], 0.5, 0.05, rule), 3) for rule in ("paper", "tight")]
    [3.746, 11.547]
    """
    ordered = np.sort(_computable(check_counts(counts)))
    check_demand(epsilon, delta)
    found = _solve(ordered, epsilon, delta, is_tight(rule))
    if isnan(found):
        raise NoValidScale(
            f"no scale gives ({epsilon:g}, {delta:g}) by the rule {rule!r}: "
            f"the smallest class, of {ordered[0]:.0f} members, is too small"
        )
    return exp(found)


def pair_scale(from_count: float, to_count: float, epsilon: float, delta: float, rule: str) -> float:
    """The largest scale for `from_count` and `to_count` against the neighbour one label away."""
    check_demand(epsilon, delta)
    for name, count in (("from_count", from_count), ("to_count", to_count)):
        require(0 <= count <= MOST_MEMBERS, f"{name} must lie between 0 and {MOST_MEMBERS:g}, not {count!r}")
    tight = is_tight(rule)
    pair = np.array([[from_count, to_count]], dtype=float)
    found = _largest_log_scale(pair, epsilon, delta, tight, _first_guess(pair[0], epsilon, delta))
    if isnan(found):
        raise NoValidScale(f"no scale gives ({epsilon:g}, {delta:g}) for counts of {from_count:g} and {to_count:g}")
    return exp(found)


def _computable(counts: Array) -> Array:
    """The counts, if none is so large that rounding would decide the scale."""
    require(
        (counts <= MOST_MEMBERS).all(),
        f"counts must be at most {MOST_MEMBERS:g} for a Dirichlet: beyond, rounding would decide the scale",
    )
    return counts
