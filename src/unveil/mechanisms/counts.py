"""Mechanisms that publish the class proportions of private labels (Iyer et al. 2016, section 3).

Each one takes the class counts η of one set, or of one set a row, and returns proportions in the simplex.
Two data sets are neighbours if one label differs: a count falls by one and another grows by one, and the
total m is public.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import floor
from typing import ClassVar, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import NoValidScale, require, require_numbers
from unveil.mechanisms.dirichlet_scale import (
    check_demand,
    check_epsilon,
    checked_counts,
    dirichlet_scale,
    is_tight,
    pair_scale,
)
from unveil.numerics.simplex import project_to_simplex
from unveil.privacy.count_noise import (
    L1_SENSITIVITY,
    classic_gaussian_deviation,
    gaussian_count_delta,
    gaussian_count_deviation,
    subsample_delta,
)
from unveil.privacy.dirichlet import true_delta
from unveil.types import Array, as_array


class CountMechanism(Protocol):
    """What every mechanism here offers."""

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """The published proportions."""
        ...


@dataclass(frozen=True)
class LaplaceCounts:
    """Laplace noise of scale 2/ε on every count, then the nearest counts that are ≥ 0 and sum to m.

    The release is (ε, 0)-private.
    """

    fit_for_release: ClassVar[bool] = False

    epsilon: float

    def __post_init__(self) -> None:
        require_numbers(self)
        check_epsilon(self.epsilon)

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """Noisy counts, made consistent by constrained least squares, as proportions."""
        values = _rows(counts)
        return _as_proportions(
            values + rng.laplace(scale=L1_SENSITIVITY / self.epsilon, size=values.shape), values
        )

    def true_delta(self, counts: ArrayLike) -> float:
        """Zero: the loss of noise of scale 2/ε never exceeds ε."""
        checked_counts(counts)
        return 0.0


@dataclass(frozen=True)
class GaussianCounts:
    """Gaussian noise on every count, then as `LaplaceCounts`.

    `kind` is the calibration: `classic` is the textbook's, `analytic` the exact one.
    """

    fit_for_release: ClassVar[bool] = False

    epsilon: float
    delta: float
    kind: str = "classic"

    def __post_init__(self) -> None:
        require_numbers(self)
        check_demand(self.epsilon, self.delta)
        require(
            self.kind in ("classic", "analytic"), f"kind must be 'classic' or 'analytic', not {self.kind!r}"
        )
        require(
            self.kind == "analytic" or self.epsilon < 1, "kind 'classic' is proven for epsilon below 1 only"
        )

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of the noise."""
        if self.kind == "classic":
            return classic_gaussian_deviation(self.epsilon, self.delta)
        return gaussian_count_deviation(self.epsilon, self.delta)

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """Noisy counts, made consistent by constrained least squares, as proportions."""
        values = _rows(counts)
        return _as_proportions(values + rng.normal(scale=self.deviation, size=values.shape), values)

    def true_delta(self, counts: ArrayLike) -> float:
        """The exact δ of the noise at ε."""
        checked_counts(counts)
        return gaussian_count_delta(self.deviation, self.epsilon)


@dataclass(frozen=True)
class LaplacePrior:
    """A Dirichlet draw whose parameters are noisy counts (after Machanavajjhala et al. 2008).

    The draw only processes the noisy counts further, so they carry the whole guarantee: (ε, 0), and (ε, δ)
    with it. `delta` is part of the demand that this mechanism is asked to meet in the place of another one.
    """

    fit_for_release: ClassVar[bool] = False

    # ASSUME: the noisy counts are first made consistent (≥ 0, sum m), because a Dirichlet needs such
    # parameters and the paper does not say how it gets them; a class left with a zero gets the proportion
    # zero.
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        require_numbers(self)
        check_demand(self.epsilon, self.delta)

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """A draw from the Dirichlet of the noisy counts."""
        values = _rows(counts)
        noisy = values + rng.laplace(scale=L1_SENSITIVITY / self.epsilon, size=values.shape)
        return draw_dirichlet(project_to_simplex(noisy, values.sum(axis=-1)), rng)

    def true_delta(self, counts: ArrayLike) -> float:
        """Zero, as for the noise alone: the draw can only hide more."""
        checked_counts(counts)
        return 0.0


@dataclass(frozen=True)
class ScaledDirichlet:
    """A draw from Dir(ση) with the largest σ that the rule allows (section 3).

    With `minimum_count`, a public lower bound on every class of every data set that might have been there,
    σ depends on that bound alone, and the guarantee holds; without it σ depends on the private counts, and
    in general it does not.
    """

    fit_for_release: ClassVar[bool] = False

    epsilon: float
    delta: float
    rule: str = "paper"
    minimum_count: int | None = None

    def __post_init__(self) -> None:
        require_numbers(self)
        check_demand(self.epsilon, self.delta)
        is_tight(self.rule)
        bound = self.minimum_count
        require(
            bound is None or (bound == floor(bound) and bound >= 1),
            "minimum_count must be a positive whole number",
        )

    def scale(self, counts: ArrayLike) -> float:
        """The scale σ for these counts; raises `NoValidScale` where there is none."""
        values = checked_counts(counts)
        if self.minimum_count is None:
            return dirichlet_scale(values, self.epsilon, self.delta, self.rule)
        require(
            values.min() >= self.minimum_count, f"counts must all reach minimum_count = {self.minimum_count}"
        )
        return self._public_scale

    @cached_property
    def _public_scale(self) -> float:
        # Both losses of a pair are largest at the smallest counts. Among data sets that reach the bound b
        # the worst pair is (b + 1, b) and (b, b + 1): the same from both sides.
        assert self.minimum_count is not None  # noqa: S101 - for the type checker
        return pair_scale(self.minimum_count + 1, self.minimum_count, self.epsilon, self.delta, self.rule)

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """One draw a set; sets with equal counts share their scale."""
        values = _rows(counts)
        kinds, which = np.unique(np.atleast_2d(values), axis=0, return_inverse=True)
        scales = np.array([self.scale(kind) for kind in kinds])[which.ravel()]
        return draw_dirichlet(scales.reshape((*values.shape[:-1], 1)) * values, rng)

    def true_delta(self, counts: ArrayLike) -> float:
        """The exact δ at ε, with σ recomputed on every neighbour, and an error counted as an output."""
        values = checked_counts(counts)
        if self.minimum_count is None:
            return true_delta(values, self.epsilon, self.scale)
        bound = self.minimum_count
        scale = self.scale(values)
        return true_delta(values, self.epsilon, lambda _: scale, possible=lambda other: other.min() >= bound)


@dataclass(frozen=True)
class DirichletOrLaplacePrior:
    """The scaled Dirichlet, and where it has no σ the Laplace prior: the paper's advice."""

    fit_for_release: ClassVar[bool] = False

    epsilon: float
    delta: float
    rule: str = "paper"

    def __post_init__(self) -> None:
        require_numbers(self)
        check_demand(self.epsilon, self.delta)
        is_tight(self.rule)

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """Set by set, whichever mechanism its counts allow."""
        return _by_kind(counts, lambda kind, sets: self._release_kind(np.tile(kind, (sets, 1)), rng))

    def _release_kind(self, counts: Array, rng: Generator) -> Array:
        try:
            return ScaledDirichlet(self.epsilon, self.delta, self.rule).release(counts, rng)
        except NoValidScale:
            return LaplacePrior(self.epsilon, self.delta).release(counts, rng)


@dataclass(frozen=True)
class SubsampleCounts:
    """The proportions among ⌊δm⌋ members drawn without replacement: (0, δ)-private.

    The yardstick at a large δ: most labels are not used at all.
    """

    fit_for_release: ClassVar[bool] = False

    delta: float

    def __post_init__(self) -> None:
        require_numbers(self)
        require(0 < self.delta < 1, f"delta must lie strictly between 0 and 1, not {self.delta}")

    def size(self, counts: ArrayLike) -> int:
        """How many labels are published: each is among them with probability at most δ."""
        total = float(checked_counts(counts).sum())
        members = floor(self.delta * total * (1 + 1e-12))
        require(members >= 1, f"delta must be at least one over the number of labels, {total:.0f}")
        return members

    def release(self, counts: ArrayLike, rng: Generator) -> Array:
        """The class proportions of the subsample."""

        def draw(kind: Array, sets: int) -> Array:
            size = self.size(kind)
            return rng.multivariate_hypergeometric(kind.astype(np.int64), size, size=sets) / size

        return _by_kind(counts, draw)

    def true_delta(self, counts: ArrayLike, epsilon: float = 0.0) -> float:
        """The exact δ of the subsample at ε; at ε = 0 it is δ itself, up to the rounding of the size."""
        return subsample_delta(checked_counts(counts), self.size(counts), epsilon)


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


def _rows(counts: ArrayLike) -> Array:
    return checked_counts(counts, dimensions=max(as_array(counts, "counts").ndim, 1))


def _by_kind(counts: ArrayLike, draw: Callable[[Array, int], Array]) -> Array:
    """`draw(kind, sets)` for each kind of counts among the rows, put back in the rows' order."""
    rows = np.atleast_2d(_rows(counts))
    kinds, which = np.unique(rows, axis=0, return_inverse=True)
    released = np.empty(rows.shape)
    for k, kind in enumerate(kinds):
        mine = which.ravel() == k
        released[mine] = draw(kind, int(mine.sum()))
    return released.reshape(np.shape(counts))


def _as_proportions(noisy: Array, counts: Array) -> Array:
    total = counts.sum(axis=-1)
    return np.asarray(project_to_simplex(noisy, total) / total[..., None])
