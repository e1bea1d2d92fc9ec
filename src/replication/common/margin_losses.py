"""Every classifier of the crossover as a loss of the reported margin u = ỹ·⟨θ, x⟩, ỹ = ±1, given how often labels flip.

So they differ in this module alone, and are fitted and tuned alike. What debiases a label makes its loss
((1 − p)·f(u) − p·f(−u))/(1 − 2p), of expectation f at the true label: for a linear-odd f with constant a that is the
even part less a·u/(2(1 − 2p)). What is linear in u is kept apart: a fit takes it from sums in double precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import gammaln, xlogy

from unveil.types import Floats

#: From reported margins and flip probabilities that broadcast with them to values and slopes.
Margins: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Floats]]
#: Keeps logarithms of probabilities finite in single precision.
TINY = 1e-30
LOG2 = float(np.log(2))


class MarginLoss(NamedTuple):
    """A loss of reported margins, `curved` less `pull`·u, and its second derivative `bend`."""

    curved: Margins
    bend: Callable[[Floats, Floats], Floats]
    pull: Callable[[Floats], Floats]

    def of(self, u: Floats, flip: Floats) -> tuple[Floats, Floats]:
        """Values and slopes of the whole loss."""
        value, slope = self.curved(u, flip)
        pull = self.pull(flip)
        return value - pull * u, slope - pull


def _sigmoid(u: Floats) -> Floats:
    """σ(u), without overflow: beyond ±80 it is 0 or 1 in either precision."""
    out = np.minimum(-u, u.dtype.type(80))
    np.exp(out, out=out)
    out += 1
    return np.divide(1, out, out=out)


def _even_logistic(u: Floats, flip: Floats) -> tuple[Floats, Floats]:
    """The even part of log(1 + e⁻ᵘ) and its slope t/2, t = tanh(u/2): |u|/2 + log 2 − log(1 + |t|), in few passes."""
    half = 0.5 * u
    slope = np.tanh(half)
    value = np.abs(half, out=half)
    small = np.abs(slope)
    small += 1
    value -= np.log(small, out=small)
    value += u.dtype.type(LOG2)
    slope *= 0.5
    return value, slope


def _logistic_bend(u: Floats, flip: Floats) -> Floats:
    one = _sigmoid(u)
    bend: Floats = one * (1 - one)
    return bend


def _squares(u: Floats, flip: Floats) -> tuple[Floats, Floats]:
    """What least squares take from the public second moments."""
    return 1 + u * u, 2 * u


def _squares_bend(u: Floats, flip: Floats) -> Floats:
    return np.full_like(u, 2)


def flipped_likelihood(u: Floats, flip: Floats) -> tuple[Floats, Floats]:
    """−log(p + (1 − 2p)σ(u)): the likelihood of what was reported, the true label summed over."""
    one, lean = _sigmoid(u), 1 - 2 * flip
    seen = one * lean
    seen += flip + TINY
    slope = one - 1
    slope *= one
    slope *= lean
    slope /= seen
    np.log(seen, out=seen)
    return np.negative(seen, out=seen), slope


def _flipped_bend(u: Floats, flip: Floats) -> Floats:
    one = _sigmoid(u)
    _, slope = flipped_likelihood(u, flip)
    bend: Floats = slope * (slope + 1 - 2 * one)
    return bend


def _agreements(
    one: Floats, other: Floats, flip: Floats, samples: int
) -> Iterator[tuple[Floats, np.floating[Any], Floats]]:
    """Of each J: its probability, 2J/S − 1, and Jσ(u)/S + (1 − J/S)σ(−u), in an array that is written anew."""
    seen, kind, flip = np.empty_like(one), one.dtype.type, flip.astype(float)
    for j in range(samples + 1):
        ways = gammaln(samples + 1) - gammaln(j + 1) - gammaln(samples - j + 1)
        weight = np.exp(ways + xlogy(j, 1 - flip) + xlogy(samples - j, flip))
        if not weight.any():
            continue
        lean: np.floating[Any] = kind((2 * j - samples) / samples)
        if 0 < j < samples:
            np.multiply(one, lean, out=seen)
            seen += kind((samples - j) / samples)
        else:
            np.maximum(one if j else other, kind(TINY), out=seen)
        yield weight.astype(one.dtype), lean, seen


def sampled_likelihood(u: Floats, flip: Floats, samples: int) -> tuple[Floats, Floats]:
    """−E log(Jσ(u)/S + (1 − J/S)σ(−u)) over J, how many of S sampled labels agree with the reported one.

    What the spread paper's stochastic steps ascend with the features in the clear: with its weights (59) the gradient
    of (60) is this function's, whatever J; anew in each step, it is ascended on average.
    """
    one, other = _sigmoid(u), _sigmoid(-u)
    value, slope, term = np.zeros_like(u), np.zeros_like(u), np.empty_like(u)
    for weight, lean, seen in _agreements(one, other, flip, samples):
        value -= np.multiply(np.log(seen, out=term), weight, out=term)
        slope -= np.divide(weight * lean, seen, out=term)
    slope *= one
    slope *= other
    return value, slope


def _sampled_bend(u: Floats, flip: Floats, samples: int) -> Floats:
    one, other = _sigmoid(u), _sigmoid(-u)
    steep, turn, bend = one * other, one - other, np.zeros_like(u)
    for weight, lean, seen in _agreements(one, other, flip, samples):
        pull = lean * steep / seen
        bend += weight * pull * (pull + turn)
    return bend


def _none(flip: Floats) -> Floats:
    return np.zeros_like(flip)


_NAIVE = MarginLoss(_even_logistic, _logistic_bend, lambda flip: np.full_like(flip, 0.5))


def _sampled(samples: int) -> MarginLoss:
    return MarginLoss(partial(sampled_likelihood, samples=samples), partial(_sampled_bend, samples=samples), _none)


#: Every classifier's loss, given how many labels it samples; `clean` is `naive` on labels of which none is flipped.
LOSSES: Mapping[str, Callable[[int], MarginLoss]] = {
    "marginal": lambda _: MarginLoss(flipped_likelihood, _flipped_bend, _none),
    "moment": lambda _: MarginLoss(_squares, _squares_bend, lambda flip: 2 / (1 - 2 * flip)),
    "mean_operator": lambda _: _NAIVE._replace(pull=lambda flip: 0.5 / (1 - 2 * flip)),
    "spread": _sampled,
    "naive": lambda _: _NAIVE,
    "clean": lambda _: _NAIVE,
}
