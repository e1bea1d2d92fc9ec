"""Mechanisms that publish class proportions as a draw from a Dirichlet law (Iyer et al. 2016, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import NoValidScale, require
from unveil.mechanisms.checks import check_counts, check_demand, check_sets
from unveil.mechanisms.counts import LaplaceCounts, find_kinds, release_by_kind
from unveil.mechanisms.dirichlet_scale import dirichlet_scale, is_tight, pair_scale
from unveil.mechanisms.published_counts import Promises, PublishedCounts, share_variance
from unveil.numerics.simplex import project_to_simplex
from unveil.privacy.dirichlet import dirichlet_delta, true_delta
from unveil.types import Array


@dataclass(frozen=True)
class LaplacePrior(PublishedCounts):
    """A Dirichlet draw whose parameters are noisy counts (after Machanavajjhala et al. 2008).

    The draw only processes the noisy counts further, so they carry the whole guarantee: (ε, 0), and (ε, δ)
    with it. For simulation only.

    Parameters
    ----------
    epsilon : float
        ε, the level of one label.
    delta : float
        Part of the demand that this mechanism is asked to meet in the place of another one; it changes nothing.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from unveil import LaplacePrior
    >>> LaplacePrior(0.5, 1e-3).release([120, 80, 300], default_rng(0)).round(3)
    array([0.235, 0.159, 0.605])
    """

    # ASSUME: the noisy counts are first made consistent (≥ 0, sum m), because a Dirichlet needs such
    # parameters and the paper does not say how it gets them; a class left with a zero gets the proportion
    # zero.
    epsilon: float
    delta: float

    def _check_parameters(self) -> None:
        check_demand(self.epsilon, self.delta)

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """A draw from the Dirichlet of the noisy counts: proportions, of one set or of one set a row."""
        noisy = LaplaceCounts(self.epsilon).noisy_counts(counts, rng)
        return draw_dirichlet(project_to_simplex(noisy, check_sets(counts).sum(axis=-1)), rng)

    def noise_of(self, proportions: Array, sizes: Array) -> Array:
        """That of consistent counts, and that of the draw."""
        counts = LaplaceCounts(self.epsilon).noise_of(proportions, sizes)
        return np.hypot(counts, dirichlet_noise(proportions, sizes))


@dataclass(frozen=True)
class ScaledDirichlet(PublishedCounts):
    """A draw from Dir(ση) with the largest σ that the rule allows (Iyer et al. 2016, section 3).

    Without a public minimum count σ depends on the private counts, and in general the guarantee does not hold:
    `true_delta` says what does. For simulation only.

    Parameters
    ----------
    epsilon, delta : float
        The demanded guarantee for one label.
    rule : {"paper", "tight"}
        How σ is found: see `dirichlet_scale`.
    minimum_count : int, optional
        A public lower bound on every class of every data set that might have been there. With it σ depends on the
        bound alone, and the guarantee holds.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from unveil import ScaledDirichlet
    >>> veil = ScaledDirichlet(0.5, 0.05, rule="tight", minimum_count=50)
    >>> veil.release([120, 80, 300], default_rng(0)).round(3)
    array([0.242, 0.165, 0.593])
    >>> veil.true_delta([50, 50, 400]) <= 0.05
    True

    The mechanism as published, on counts of which the smallest are small:

    >>> round(ScaledDirichlet(0.05, 0.05).true_delta([50, 50, 50, 50, 800]), 3)
    0.077
    """

    epsilon: float
    delta: float
    rule: str = "paper"
    minimum_count: int | None = None

    def _check_parameters(self) -> None:
        check_demand(self.epsilon, self.delta)
        is_tight(self.rule)
        bound = self.minimum_count
        require(
            bound is None or (bound == floor(bound) and bound >= 1), "minimum_count must be a positive whole number"
        )

    def scale(self, counts: ArrayLike) -> float:
        """The scale σ for these counts; raises `NoValidScale` where there is none."""
        values = check_counts(counts)
        if self.minimum_count is None:
            return dirichlet_scale(values, self.epsilon, self.delta, self.rule)
        require(values.min() >= self.minimum_count, f"counts must all reach minimum_count = {self.minimum_count}")
        return self._public_scale

    @cached_property
    def _public_scale(self) -> float:
        # Both losses of a pair are largest at the smallest counts. Among data sets that reach the bound b
        # the worst pair is (b + 1, b) and (b, b + 1): the same from both sides.
        assert self.minimum_count is not None  # noqa: S101 - for the type checker
        return pair_scale(self.minimum_count + 1, self.minimum_count, self.epsilon, self.delta, self.rule)

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """Proportions, one draw a set (a row of `counts`); sets with equal counts share their scale."""
        values = check_sets(counts)
        kinds, which = find_kinds(np.atleast_2d(values))
        scales = np.array([self.scale(kind) for kind in kinds])[which]
        return draw_dirichlet(scales.reshape((*values.shape[:-1], 1)) * values, rng)

    def true_delta(self, counts: ArrayLike) -> float:
        """The exact δ at ε, with σ recomputed on every neighbour, and an error counted as an output."""
        values = check_counts(counts)
        if self.minimum_count is None:
            return true_delta(values, self.epsilon, self.scale)
        bound = self.minimum_count
        scale = self.scale(values)
        return true_delta(values, self.epsilon, lambda _: scale, possible=lambda other: other.min() >= bound)

    def promises(self, sizes: Array) -> Promises:
        """With a public σ, the δ at ε of the worst two data sets; else there are some of which a scale is missing."""
        bound = self.minimum_count
        if bound is None:
            # On the way to a class without members counts lose their scale, and an error tells for sure.
            return Promises(self.epsilon, self.delta, self.epsilon, 1.0)
        require(bool((sizes >= 2 * bound).all()), f"counts must all reach minimum_count = {bound}")
        worst = [bound + 1, bound], [bound, bound + 1]
        scales = self._public_scale, self._public_scale
        return Promises(self.epsilon, self.delta, self.epsilon, dirichlet_delta(*worst, *scales, self.epsilon))

    def noise_of(self, proportions: Array, sizes: Array) -> Array:
        """That of the draw; where σ is not public, with the one that the released proportions would have had."""
        seen = np.rint(proportions * sizes[:, None])
        scales = [self._scale_or_zero(counts) for counts in seen]
        return dirichlet_noise(proportions, np.array(scales) * sizes)

    def _scale_or_zero(self, counts: Array) -> float:
        if self.minimum_count is not None:
            return self._public_scale
        try:
            return self.scale(counts)
        except NoValidScale:
            return 0.0


@dataclass(frozen=True)
class DirichletOrLaplacePrior(PublishedCounts):
    """The scaled Dirichlet, and where it has no σ the Laplace prior: as Iyer et al. (2016) advise.

    Which of the two is used depends on the private counts, and can be seen. For simulation only.

    Parameters
    ----------
    epsilon, delta : float
        The demanded guarantee for one label.
    rule : {"paper", "tight"}
        How σ is found: see `dirichlet_scale`.

    Examples
    --------
    The second set has a class of one member, for which no scale exists:

    >>> from numpy.random import default_rng
    >>> from unveil import DirichletOrLaplacePrior
    >>> veil = DirichletOrLaplacePrior(0.5, 0.05)
    >>> veil.release([[120, 80, 300], [1, 80, 419]], default_rng(0)).round(3)
    array([[0.225, 0.156, 0.619],
           [0.005, 0.158, 0.837]])
    """

    epsilon: float
    delta: float
    rule: str = "paper"
    #: None below one is proven: what is released on two sides of the edge are draws of different laws.
    _exact_delta: ClassVar[float] = 1.0  # type: ignore[misc]

    def _check_parameters(self) -> None:
        check_demand(self.epsilon, self.delta)
        is_tight(self.rule)

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """Proportions, set by set (row by row), of whichever mechanism its counts allow."""
        return release_by_kind(counts, lambda kind, sets: self._release_kind(np.tile(kind, (sets, 1)), rng))

    def _release_kind(self, counts: Array, rng: Generator) -> Array:
        try:
            return ScaledDirichlet(self.epsilon, self.delta, self.rule).release(counts, rng)
        except NoValidScale:
            return LaplacePrior(self.epsilon, self.delta).release(counts, rng)

    def noise_of(self, proportions: Array, sizes: Array) -> Array:
        """The larger of the two: which of them it is, is not said."""
        both = (
            ScaledDirichlet(self.epsilon, self.delta, self.rule).noise_of(proportions, sizes),
            LaplacePrior(self.epsilon, self.delta).noise_of(proportions, sizes),
        )
        return np.maximum(*both)


def draw_dirichlet(shapes: ArrayLike, rng: Generator) -> Array:
    """One Dirichlet draw a row, in logarithms: shapes far below 1 neither round nor divide by zero.

    log Γ(a) = log Γ(a + 1) + log(U)/a in distribution; a class with shape zero gets the proportion zero.
    """
    a = np.asarray(shapes, dtype=float)
    with np.errstate(divide="ignore"):
        logs = np.log(rng.standard_gamma(a + 1.0)) - rng.standard_exponential(a.shape) / a
    logs -= logs.max(axis=-1, keepdims=True)
    weights: Array = np.exp(logs)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def dirichlet_noise(proportions: Array, concentrations: Array) -> Array:
    """The standard deviation of a share that is drawn from a Dirichlet law, whose parameters have this sum."""
    return np.asarray(np.sqrt(share_variance(proportions) / (concentrations + 1)))
