"""The veils of a record: its label flipped, its vector noised, at an exact level of both together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import exp, log, sqrt
from typing import NamedTuple

from numpy.random import Generator
from scipy.optimize import brentq

from replication.papers.spread.today.settings import Release
from unveil.mechanisms.bounded_vectors import SphereRelease
from unveil.mechanisms.flips import PixelFlips
from unveil.privacy.gaussian import gaussian_delta
from unveil.types import Array

#: Vectors have at most this norm, so that two of them differ by twice as much.
RADIUS = 1.0


class Veil(NamedTuple):
    """How often a label is flipped, what noises vectors, and the variance of that noise in an entry."""

    flip: float
    noise: Callable[[Array, Generator], Array]
    variance: float


def flip_of(epsilon: float) -> float:
    """How often a label is flipped at an exact level of its own."""
    return 1 / (1 + exp(epsilon))


def joint_delta(delta: Callable[[float], float], epsilon: float, flip: float) -> float:
    """The exact δ of a vector's noise, whose own is a function of ε, together with a label's flip.

    The label's loss is ± log((1 − p)/p), + with the probability 1 − p, and independent of the vector's.
    """
    own = log((1 - flip) / flip)
    return (1 - flip) * delta(epsilon - own) + flip * delta(epsilon + own)


def joint_epsilon(delta: Callable[[float], float], asked: float, flip: float, highest: float) -> float:
    """The smallest ε at that δ, below `highest`."""
    return float(brentq(lambda epsilon: joint_delta(delta, epsilon, flip) - asked, 0.0, highest, xtol=1e-9))


def add_gaussian(variance: float) -> Callable[[Array, Generator], Array]:
    """Gaussian noise on every entry."""
    return lambda rows, rng: rows + rng.normal(scale=sqrt(variance), size=rows.shape)


@cache
def gaussian_veil(epsilon: float, settings: Release) -> Veil:
    """Gaussian noise whose exact δ at ε, with the label's flip, is the one asked for."""
    flip = flip_of(settings.label_share * epsilon)
    shift = brentq(lambda s: joint_delta(lambda e: gaussian_delta(s, e), epsilon, flip) - settings.delta, 1e-3, 1e3)
    variance = (2 * RADIUS / shift) ** 2
    return Veil(flip, add_gaussian(variance), variance)


@cache
def sphere_veil(epsilon: float, settings: Release) -> Veil:
    """A random direction at what the label leaves of ε; the levels of both add up, and δ is 0."""
    own = settings.label_share * epsilon
    veil, k = SphereRelease(epsilon - own, RADIUS), settings.components
    # A vector of norm 1 has a released norm of 1/E⟨v, u⟩: what exceeds 1 is noise, spread over k entries.
    return Veil(flip_of(own), veil.release, veil.deviation(k) ** 2 - RADIUS**2 / k)


VEILS: Mapping[str, Callable[[float, Release], Veil]] = {"gaussian": gaussian_veil, "sphere": sphere_veil}


def paper_epsilons(settings: Release, pixels: int | None) -> list[float]:
    """The exact ε of a record at δ by each of the paper's noises: flips on `pixels`, or Gaussian noise on vectors."""
    if pixels is None:
        shifts = [2 * RADIUS / sqrt(variance) for variance in settings.variances]
        return [
            joint_epsilon(lambda e, s=s: gaussian_delta(s, e), settings.delta, settings.label_flip, 10 * s**2 + 100)  # type: ignore[misc]
            for s in shifts
        ]
    found = []
    for flip in settings.p_flips:
        veil = PixelFlips(flip)
        own = lambda e, veil=veil: veil.image_delta(e, pixels)  # noqa: E731
        found.append(joint_epsilon(own, settings.delta, flip, (pixels + 1) * veil.epsilon))
    return found
