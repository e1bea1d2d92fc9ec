"""The mechanisms of Iyer et al. (2016), section 3, on the class counts of one set. Neighbours differ in one label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator

from replication.judging.guarantees.case import Case, pure, row_by_row
from replication.judging.guarantees.settings import ClassRatio, Dirichlet, Noise
from replication.papers.class_ratio.membership.guarantees import memberships
from replication.papers.class_ratio.projected_noise import consistent_laplace_epsilon, prior_draw_delta
from unveil.errors import NoValidScale
from unveil.mechanisms.checks import MOVED
from unveil.mechanisms.counts import GaussianCounts, LaplaceCounts, SubsampleCounts
from unveil.mechanisms.dirichlet_draws import DirichletOrLaplacePrior, LaplacePrior, ScaledDirichlet, draw_dirichlet
from unveil.mechanisms.dirichlet_scale import dirichlet_scales
from unveil.mechanisms.exact_sums import GeometricCounts
from unveil.mechanisms.published_counts import PublishedCounts
from unveil.privacy.audit import Sampler
from unveil.privacy.channels import channel_epsilon, smallest_epsilon
from unveil.privacy.count_noise import L1_SENSITIVITY, gaussian_count_delta, subsample_delta
from unveil.privacy.dirichlet import dirichlet_delta, neighbours, true_delta
from unveil.privacy.pair import hockey_stick
from unveil.types import Array, Floats

_case = partial(Case, "class_ratio")


def cases(settings: ClassRatio) -> list[Case]:
    """Noise on counts, the scaled Dirichlet in its variants, a subsample, and who is in which set."""
    noise, dirichlet = settings.noise, settings.dirichlet
    return [
        *_noise_here(noise),
        *_noise_anywhere(noise.epsilon, noise.delta, noise.counts),
        *_noise_anywhere(dirichlet.epsilon, dirichlet.delta, dirichlet.counts),
        *_published(dirichlet),
        *_undefined_next_door(dirichlet),
        *_fixed(dirichlet),
        _public(dirichlet),
        _fallback(dirichlet),
        *_subsamples(noise.delta, noise.counts),
        *memberships(settings.membership),
    ]


def _words(counts: Sequence[Any] | Array) -> str:
    return " ".join(f"{count:.0f}" for count in counts)


def _pair(counts: Sequence[int] | Array) -> tuple[Array, Array]:
    """Counts, and those after one label has moved from the first class to the second."""
    here = np.array(counts, dtype=float)
    there = here.copy()
    there[:2] += -1.0, 1.0
    return here, there


def _noise_here(settings: Noise) -> list[Case]:
    """Pure noise on two classes, at the counts at hand: making them consistent hides the far tails."""
    epsilon, delta, counts = settings.epsilon, settings.delta, settings.counts
    here, there = _pair(counts)
    laplace = consistent_laplace_epsilon(*counts, L1_SENSITIVITY / epsilon)
    geometric = GeometricCounts(epsilon, testing=True)
    # Consistent counts of two classes are a finite channel, which is enumerated.
    laws = np.column_stack([consistent_law(kind, geometric.tight_epsilon()) for kind in (here, there)])
    shown = {"epsilon": epsilon, "counts": _words(counts)}
    levels: list[tuple[str, PublishedCounts, float]] = [
        ("laplace", LaplaceCounts(epsilon), laplace),
        ("laplace_prior", LaplacePrior(epsilon, delta), laplace),
        ("geometric", geometric, channel_epsilon(laws)),
    ]
    return [
        _case(name, shown, pure(epsilon), pure(level), row_by_row(mechanism.release), here, there, scope="here")
        for name, mechanism, level in levels
    ]


def _noise_anywhere(epsilon: float, delta: float, counts: Sequence[int]) -> list[Case]:
    """Noise over all data sets: what it loses itself, since large sets come as close to that as one likes."""
    here, there = _pair(counts)
    geometric = GeometricCounts(epsilon, testing=True)
    laplace = pure(L1_SENSITIVITY / (L1_SENSITIVITY / epsilon))
    found: list[tuple[str, Any, tuple[float, float], tuple[float, float]]] = [
        ("laplace", LaplaceCounts(epsilon), pure(epsilon), laplace),
        ("laplace_prior", LaplacePrior(epsilon, delta), pure(epsilon), laplace),
        ("geometric", geometric, pure(epsilon), pure(geometric.tight_epsilon())),
    ]
    for kind, name in (("classic", "gaussian"), ("analytic", "gaussian_analytic")):
        gaussian = GaussianCounts(epsilon, delta, kind)
        deviation = gaussian.deviation
        level = smallest_epsilon(lambda e, s=deviation: gaussian_count_delta(s, e), delta)  # type: ignore[misc]
        found.append((name, gaussian, (epsilon, delta), (level, gaussian_count_delta(deviation, epsilon))))
    cases = []
    for name, mechanism, claimed, exact in found:
        demand = {"epsilon": epsilon, **({"delta": delta} if claimed[1] else {})}
        shown = {**demand, "classes": len(counts), "audited_at": _words(counts)}
        cases.append(_case(name, shown, claimed, exact, row_by_row(mechanism.release), here, there))
    return cases


def consistent_law(counts: Array, epsilon: float) -> Array:
    """P[x₁ − x₂ + η₁ − η₂ = k] for k cut to [−m, m], with two-sided geometric x: it decides the consistent counts."""
    total, gap = int(counts.sum()), int(counts[0] - counts[1])
    reach = 2 * total + int(40 * MOVED["bounded"] / epsilon)
    noise = np.exp(-np.abs(np.arange(-reach, reach + 1.0)) * epsilon / MOVED["bounded"])
    difference = np.convolve(noise, noise) / noise.sum() ** 2
    cells = np.clip(np.arange(-2 * reach, 2 * reach + 1) + gap, -total, total) + total
    return np.bincount(cells, weights=difference, minlength=2 * total + 1)


#: The rules that find σ in the data.
RULES = {"scaled_dirichlet": "paper", "scaled_dirichlet_tight": "tight"}


def _demand(settings: Dirichlet, **more: object) -> dict[str, object]:
    return {"epsilon": settings.epsilon, "delta": settings.delta, **more}


def _published(settings: Dirichlet) -> list[Case]:
    """As published, σ computed from the data, at counts of the figures."""
    found = []
    for counts in (settings.counts, settings.digits):
        for name, rule in RULES.items():
            mechanism = ScaledDirichlet(settings.epsilon, settings.delta, rule)
            found.append(_scaled(name, mechanism.scale, row_by_row(mechanism.release), settings, counts))
    # At these counts every neighbour has a scale, so that the fallback is never taken.
    fallback = row_by_row(DirichletOrLaplacePrior(settings.epsilon, settings.delta).release)
    return [*found, replace(found[0], mechanism="fallback", release=fallback)]


def _fixed(settings: Dirichlet) -> list[Case]:
    """What the proof is about: the same σ for the neighbours. Then the tight rule gives away δ, whatever the counts."""
    found = []
    for name, rule in RULES.items():
        scale = ScaledDirichlet(settings.epsilon, settings.delta, rule).scale(settings.counts)

        def release(counts: Array, n: int, rng: Generator, fixed: float = scale) -> Array:
            return draw_dirichlet(np.tile(fixed * counts, (n, 1)), rng)

        case = _scaled(f"{name}_fixed_scale", lambda _, fixed=scale: fixed, release, settings, settings.counts)  # type: ignore[misc]
        if rule == "tight":
            case = replace(case, scope="supremum", parameters=_demand(settings, attained_at=_words(settings.counts)))
        found.append(case)
    return found


def _scaled(
    name: str, scale_of: Callable[[Array], float], release: Sampler, settings: Dirichlet, counts: Sequence[int]
) -> Case:
    """A scaled Dirichlet at these counts: the exact divergence from every neighbour, in both directions."""
    here = np.array(counts, dtype=float)
    scales = {tuple(kind): scale_of(kind) for kind in [here, *neighbours(here)]}

    def known(kind: Array) -> float:
        return scales[tuple(kind)]

    level = smallest_epsilon(lambda epsilon: true_delta(here, epsilon, known), settings.delta)
    worst = max(neighbours(here), key=lambda other: _both_ways(here, other, known, settings.epsilon))
    claimed, exact = (settings.epsilon, settings.delta), (level, true_delta(here, settings.epsilon, known))
    log_ratio = _log_shares(known(here) * here - known(worst) * worst)
    parameters = _demand(settings, counts=_words(counts))
    return _case(name, parameters, claimed, exact, release, here, worst, log_ratio, scope="here")


def _log_shares(weights: Floats) -> Callable[[Array], Floats]:
    """The log-ratio of two Dirichlet laws; a share that rounds to zero has the logarithm of the smallest double."""
    return lambda shares: np.asarray(np.log(np.maximum(shares, np.finfo(float).tiny)) @ weights)


def _both_ways(counts: Array, other: Array, scale_of: Callable[[Array], float], epsilon: float) -> float:
    mine, theirs = scale_of(counts), scale_of(other)
    forward = dirichlet_delta(counts, other, mine, theirs, epsilon)
    return max(forward, dirichlet_delta(other, counts, theirs, mine, epsilon))


def edge(classes: int, size: int, epsilon: float, delta: float, rule: str) -> tuple[Array, Array]:
    """Two neighbours of which the first has a σ and the second none: a label leaves the smallest class."""
    smallest = np.arange(2.0, size // classes + 1)
    rows = np.column_stack([*[smallest] * (classes - 1), size - (classes - 1) * smallest])
    here = rows[np.isfinite(dirichlet_scales(rows, epsilon, delta, rule)).argmax()]
    step = np.array([-1.0, *[0.0] * (classes - 2), 1.0])
    while np.isfinite(dirichlet_scales([here + step], epsilon, delta, rule)).all():
        here = here + step
    return here, here + step


def _undefined_next_door(settings: Dirichlet) -> list[Case]:
    """As published, over all data sets: where a neighbour has no σ, its error message tells the two apart for sure."""
    found = []
    for name, rule in RULES.items():
        mechanism = ScaledDirichlet(settings.epsilon, settings.delta, rule)
        size, classes = sum(settings.counts), len(settings.counts)
        here, there = edge(classes, size, settings.epsilon, settings.delta, rule)

        def release(counts: Array, n: int, rng: Generator, veil: ScaledDirichlet = mechanism) -> Array:
            try:
                return veil.release(np.tile(counts, (n, 1)), rng)
            except NoValidScale:
                return np.full((n, len(counts)), np.nan)

        parameters, claimed = _demand(settings, attained_at=_words(here)), (settings.epsilon, settings.delta)
        exact = inf, true_delta(here, settings.epsilon, mechanism.scale)
        found.append(_case(name, parameters, claimed, exact, release, here, there, _refused))
    return found


def _refused(shares: Array) -> Floats:
    return np.where(np.isnan(shares[:, 0]), -1.0, 1.0)


def _public(settings: Dirichlet) -> Case:
    """σ from a public minimum count, over all data sets that reach it: two smallest classes are the worst."""
    mechanism = ScaledDirichlet(settings.epsilon, settings.delta, "tight", settings.minimum_count)
    bound, size, classes = settings.minimum_count, sum(settings.counts), len(settings.counts)
    here, there = _pair([bound + 1, *[bound] * (classes - 2), size - (classes - 1) * bound - 1])
    scale = mechanism.scale(here)

    def delta_of(epsilon: float) -> float:
        return float(hockey_stick(here[0], here[1], scale, epsilon))

    parameters = _demand(settings, minimum_count=bound, attained_at=_words(here))
    release, log_ratio = row_by_row(mechanism.release), _log_shares(scale * (here - there))
    return _case("scaled_dirichlet_public", parameters, *_levels(settings, delta_of), release, here, there, log_ratio)


def _levels(settings: Dirichlet, delta_of: Callable[[float], float]) -> tuple[tuple[float, float], tuple[float, float]]:
    """What is claimed, and what is exact, given δ at any ε."""
    exact = smallest_epsilon(delta_of, settings.delta), delta_of(settings.epsilon)
    return (settings.epsilon, settings.delta), exact


def _fallback(settings: Dirichlet) -> Case:
    """The Laplace prior where there is no σ, at the edge, for two classes: a counterexample, not the supremum."""
    mechanism = DirichletOrLaplacePrior(settings.epsilon, settings.delta)
    here, there = edge(2, sum(settings.counts), settings.epsilon, settings.delta, "paper")
    scale = ScaledDirichlet(settings.epsilon, settings.delta).scale(here)
    delta_of = prior_draw_delta(
        (scale * here[0], scale * here[1]), (int(there[0]), int(there[1])), L1_SENSITIVITY / settings.epsilon
    )
    release, parameters = row_by_row(mechanism.release), _demand(settings, counts=_words(here))
    return _case("fallback", parameters, *_levels(settings, delta_of), release, here, there, scope="here")


def _subsamples(delta: float, counts: Sequence[int]) -> list[Case]:
    """At the counts at hand, and where the label is alone in its class: then it shows whenever it is drawn."""
    mechanism = SubsampleCounts(delta)
    size = mechanism.size(counts)

    def case(kind: Sequence[int], parameters: Mapping[str, object]) -> Case:
        here, there = _pair(kind)
        # Sums of probabilities round.
        level = smallest_epsilon(lambda epsilon: subsample_delta(here, size, epsilon), delta * (1 + 1e-9))
        exact, release = (level, mechanism.true_delta(here, 0.0)), row_by_row(mechanism.release)
        return _case("subsample", {"delta": delta, **parameters}, (0.0, delta), exact, release, here, there)

    alone = [1, sum(counts) - 1]
    return [
        replace(case(counts, {"counts": _words(counts)}), scope="here"),
        case(alone, {"attained_at": _words(alone)}),
    ]
