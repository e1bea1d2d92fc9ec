"""Every classifier of the crossover as a loss of the reported margin u = ỹ·⟨θ, x⟩, ỹ = ±1, given how often labels flip.

So they differ in this function alone, and are fitted and tuned alike. What debiases a label makes its loss
((1 − p)·f(u) − p·f(−u))/(1 − 2p), of expectation f at the true label: for a linear-odd f with constant a that is the
even part less a·u/(2(1 − 2p)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from replication.papers.crossover.settings import Classifier
from unveil.types import Floats

#: From reported margins (n, k) and flip probabilities (k,) to values and slopes, both (n, k).
Margins: TypeAlias = Callable[[Floats, Floats], tuple[Floats, Floats]]
#: Keeps logarithms of probabilities finite in single precision.
TINY = 1e-30


class MarginLoss(NamedTuple):
    """A loss of reported margins, and its curvature at 0 by how often labels flip: where a fit's first step aims."""

    of: Margins
    curvature: Callable[[Floats], Floats]


def _sigmoid(u: Floats) -> tuple[Floats, Floats]:
    """σ(u) and e^−|u|."""
    small = np.exp(-np.abs(u))
    return np.where(u >= 0, 1, small) / (1 + small), small


def plain(u: Floats, flip: Floats) -> tuple[Floats, Floats]:
    """log(1 + e⁻ᵘ), as if nothing were flipped."""
    one, small = _sigmoid(u)
    return np.maximum(-u, 0) + np.log1p(small), one - 1


def flipped_likelihood(u: Floats, flip: Floats) -> tuple[Floats, Floats]:
    """−log(p + (1 − 2p)σ(u)): the likelihood of what was reported, the true label summed over."""
    one, _ = _sigmoid(u)
    seen = flip + (1 - 2 * flip) * one + TINY
    return -np.log(seen), -(1 - 2 * flip) * one * (1 - one) / seen


def sampled_likelihood(u: Floats, flip: Floats, samples: int) -> tuple[Floats, Floats]:
    """−E log(Jσ(u)/S + (1 − J/S)σ(−u)) over J, how many of S sampled labels agree with the reported one.

    What the spread paper's stochastic steps ascend with the features in the clear: with its weights (59) the gradient
    of (60) is this function's, whatever J; anew in each step, it is ascended on average.
    """
    from scipy.stats import binom  # imported late: the other losses need none of it

    one, _ = _sigmoid(u)
    value, slope = np.zeros_like(u), np.zeros_like(u)
    seen, term = np.empty_like(u), np.empty_like(u)
    for j in range(samples + 1):
        weight, lean = binom.pmf(j, samples, 1 - flip), (2 * j - samples) / samples
        np.multiply(one, u.dtype.type(lean), out=seen)
        seen += u.dtype.type((samples - j) / samples)
        np.maximum(seen, u.dtype.type(TINY), out=seen)
        np.log(seen, out=term)
        value -= np.multiply(term, weight.astype(u.dtype), out=term)
        slope -= np.divide((weight * lean).astype(u.dtype), seen, out=term)
    slope *= one
    slope *= 1 - one
    return value, slope


def debiased_logistic(u: Floats, flip: Floats) -> tuple[Floats, Floats]:
    """The logistic loss from the debiased mean operator."""
    one, small = _sigmoid(u)
    pull = 0.5 / (1 - 2 * flip)
    return np.abs(u) / 2 + np.log1p(small) - pull * u, one - 0.5 - pull


def debiased_squares(u: Floats, flip: Floats) -> tuple[Floats, Floats]:
    """Least squares from the public second moments and the debiased products with the label."""
    pull = 2 / (1 - 2 * flip)
    return 1 + u * u - pull * u, 2 * u - pull


def _even(curvature: float) -> Callable[[Floats], Floats]:
    return lambda flip: np.full(np.shape(flip), curvature)


def _seen(flip: Floats) -> Floats:
    return np.maximum((1 - 2 * np.asarray(flip)) ** 2 / 4, 1e-4)


def losses(samples: int) -> Mapping[Classifier, MarginLoss]:
    """Every classifier's loss; `clean` is `naive` on labels of which none is flipped."""
    return {
        "marginal": MarginLoss(flipped_likelihood, _seen),
        "moment": MarginLoss(debiased_squares, _even(2.0)),
        "mean_operator": MarginLoss(debiased_logistic, _even(0.25)),
        "spread": MarginLoss(partial(sampled_likelihood, samples=samples), _seen),
        "naive": MarginLoss(plain, _even(0.25)),
        "clean": MarginLoss(plain, _even(0.25)),
    }
