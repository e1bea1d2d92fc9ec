"""The mechanisms of Iyer et al. (2016), section 3, on the class counts of one set. Neighbours differ in one label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from replication.judging.guarantees.case import Case, row_by_row
from replication.judging.guarantees.settings import ClassRatio, Dirichlet, Noise
from unveil.mechanisms.counts import (
    DirichletOrLaplacePrior,
    GaussianCounts,
    LaplaceCounts,
    LaplacePrior,
    ScaledDirichlet,
    SubsampleCounts,
)
from unveil.mechanisms.exact_sums import MOVED as MOVED_LABEL
from unveil.mechanisms.exact_sums import GeometricCounts
from unveil.privacy.channels import channel_epsilon, smallest_epsilon
from unveil.privacy.count_noise import L1_SENSITIVITY, gaussian_count_delta, subsample_delta
from unveil.privacy.dirichlet import dirichlet_delta, neighbours, true_delta
from unveil.privacy.projected_noise import consistent_laplace_epsilon
from unveil.types import Array

PAPER = "class_ratio"
#: One label moves from the first class to the second.
MOVED = np.array([-1.0, 1.0])


def cases(settings: ClassRatio) -> list[Case]:
    """Noise on counts, the scaled Dirichlet in its variants, and a subsample."""
    noise = settings.noise
    return [
        *_noise(noise),
        _exact_noise(noise.epsilon, noise.counts),
        *_dirichlet(settings.dirichlet),
        _subsample(noise.delta, noise.counts),
    ]


def _words(counts: Sequence[int]) -> str:
    return " ".join(map(str, counts))


def _noise(settings: Noise) -> list[Case]:
    """Two classes: making the counts consistent loses nothing that tells the neighbours apart but the far tails."""
    epsilon, delta, counts = settings.epsilon, settings.delta, settings.counts
    here = np.array(counts, dtype=float)
    there = here + MOVED
    parameters = {"epsilon": epsilon, "delta": delta, "counts": _words(counts)}
    laplace = consistent_laplace_epsilon(here[0], here[1], L1_SENSITIVITY / epsilon)
    found = [
        Case(PAPER, name, parameters, (epsilon, 0.0), (laplace, 0.0), row_by_row(mechanism), here, there)
        for name, mechanism in (("laplace", LaplaceCounts(epsilon)), ("laplace_prior", LaplacePrior(epsilon, delta)))
    ]
    for kind, name in (("classic", "gaussian"), ("analytic", "gaussian_analytic")):
        gaussian = GaussianCounts(epsilon, delta, kind)
        deviation = gaussian.deviation
        level = smallest_epsilon(lambda e, s=deviation: gaussian_count_delta(s, e), delta)  # type: ignore[misc]
        exact = level, gaussian.true_delta(here)
        found.append(Case(PAPER, name, parameters, (epsilon, delta), exact, row_by_row(gaussian), here, there))
    return found


def _exact_noise(epsilon: float, counts: Sequence[int]) -> Case:
    """Noise on whole numbers: the consistent counts of two classes are a finite channel, which is enumerated."""
    mechanism = GeometricCounts(epsilon, testing=True)
    here = np.array(counts, dtype=float)
    there = here + MOVED
    laws = np.column_stack([consistent_law(kind, mechanism.tight_epsilon()) for kind in (here, there)])
    parameters = {"epsilon": epsilon, "counts": _words(counts)}
    exact = channel_epsilon(laws), 0.0
    return Case(PAPER, "geometric", parameters, (epsilon, 0.0), exact, row_by_row(mechanism), here, there)


def consistent_law(counts: Array, epsilon: float) -> Array:
    """P[x₁ − x₂ + η₁ − η₂ = k] for k cut to [−m, m], with two-sided geometric x: it decides the consistent counts."""
    total, gap = int(counts.sum()), int(counts[0] - counts[1])
    reach = 2 * total + int(40 * MOVED_LABEL / epsilon)
    noise = np.exp(-np.abs(np.arange(-reach, reach + 1.0)) * epsilon / MOVED_LABEL)
    difference = np.convolve(noise, noise) / noise.sum() ** 2
    cells = np.clip(np.arange(-2 * reach, 2 * reach + 1) + gap, -total, total) + total
    return np.bincount(cells, weights=difference, minlength=2 * total + 1)


def _dirichlet(settings: Dirichlet) -> list[Case]:
    epsilon, delta, counts = settings.epsilon, settings.delta, settings.counts
    variants: dict[str, Any] = {
        "scaled_dirichlet": ScaledDirichlet(epsilon, delta, "paper"),
        "scaled_dirichlet_tight": ScaledDirichlet(epsilon, delta, "tight"),
        "scaled_dirichlet_public": ScaledDirichlet(epsilon, delta, "tight", settings.minimum_count),
    }
    parameters = {"epsilon": epsilon, "delta": delta, "counts": _words(counts)}
    found = [_scaled(name, mechanism, parameters, np.array(counts)) for name, mechanism in variants.items()]
    # At these counts every neighbour has a scale, so that the fallback is never taken.
    alike = found[0]
    fallback = row_by_row(DirichletOrLaplacePrior(epsilon, delta))
    return [*found, replace(alike, mechanism="fallback", release=fallback)]


def _scaled(name: str, mechanism: ScaledDirichlet, parameters: Mapping[str, object], counts: Array) -> Case:
    """Exact at these counts: the scale is recomputed for every neighbour unless it is public."""
    demand = mechanism.epsilon, mechanism.delta
    scales = {tuple(kind): mechanism.scale(kind) for kind in [counts * 1.0, *neighbours(counts)]}

    def scale_of(kind: Array) -> float:
        return scales[tuple(kind)]

    level = smallest_epsilon(lambda epsilon: true_delta(counts, epsilon, scale_of), mechanism.delta)
    worst = max(neighbours(counts), key=lambda other: _both_ways(counts, other, scale_of, mechanism.epsilon))
    if mechanism.minimum_count is not None:
        parameters = {**parameters, "minimum_count": mechanism.minimum_count}
    weights = scale_of(counts * 1.0) * counts - scale_of(worst) * worst
    return Case(
        PAPER,
        name,
        parameters,
        demand,
        (level, mechanism.true_delta(counts)),
        row_by_row(mechanism),
        counts * 1.0,
        worst,
        # A proportion that rounds to zero has the logarithm of the smallest double.
        lambda thetas: np.log(np.maximum(thetas, np.finfo(float).tiny)) @ weights,
    )


def _both_ways(counts: Array, other: Array, scale_of: Any, epsilon: float) -> float:
    mine, theirs = scale_of(counts * 1.0), scale_of(other)
    forward = dirichlet_delta(counts, other, mine, theirs, epsilon)
    return max(forward, dirichlet_delta(other, counts, theirs, mine, epsilon))


def _subsample(delta: float, counts: Sequence[int]) -> Case:
    mechanism = SubsampleCounts(delta)
    here = np.array(counts, dtype=float)
    size = mechanism.size(here)
    level = smallest_epsilon(lambda epsilon: subsample_delta(here, size, epsilon), delta)
    parameters = {"delta": delta, "counts": _words(counts)}
    exact = level, mechanism.true_delta(here, 0.0)
    return Case(PAPER, "subsample", parameters, (0.0, delta), exact, row_by_row(mechanism), here, here + MOVED)
