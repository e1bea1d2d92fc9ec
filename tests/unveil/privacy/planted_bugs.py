"""Mechanisms with a bug of a kind that has happened, each beside the same mechanism without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator, default_rng

from unveil.mechanisms.counts import GaussianCounts
from unveil.mechanisms.dirichlet_draws import ScaledDirichlet
from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.mechanisms.per_value import PerValueRelease
from unveil.privacy.audit import LogRatio, Sampler
from unveil.types import Array, Floats


@dataclass(frozen=True)
class PlantedBug:
    """What is claimed at which δ, and the sample size at which the audit must tell the two apart."""

    name: str
    claimed: float
    n: int
    buggy: Sampler
    right: Sampler
    here: Any
    there: Any
    delta: float = 0.0
    score: LogRatio | None = None


def tiled(values: Any, n: int) -> Array:
    array = np.asarray(values)
    return np.broadcast_to(array, (n, *array.shape))


def rows(release: Callable[[Array, Generator], Array]) -> Sampler:
    return lambda values, n, rng: release(tiled(values, n), rng)


def laplace(counts: Floats, scale: float, rng: Generator) -> Floats:
    return counts + rng.laplace(scale=scale, size=counts.shape)


def response(keep: float) -> Sampler:
    return lambda label, n, rng: np.where(rng.random(n) < keep, label, -label)


def twice(alpha: float) -> Sampler:
    """The same label in two releases."""
    mechanism = LabelResponse(alpha)
    return lambda label, n, rng: np.column_stack([mechanism.release(np.full(n, label), rng) for _ in range(2)])


def bits_of(alpha: float, delta_bar: float) -> Sampler:
    """Per-value release without the check that δ̄ is large enough."""
    keep = PerValueRelease(alpha, delta_bar).keep

    def release(bits: Floats, n: int, rng: Generator) -> Array:
        released: Array = (rng.random((n, len(bits))) < keep) == (np.asarray(bits) == 1)
        return released

    return release


def shared_noise(counts: Floats, n: int, rng: Generator) -> Floats:
    """One draw serves all the counts of a release."""
    return np.asarray(tiled(counts, n) + rng.laplace(scale=2.0, size=(n, 1)))


def cut_tails(counts: Floats, n: int, rng: Generator) -> Floats:
    """No noise beyond four scales, lest a count look odd."""
    share = rng.uniform(np.exp(-4.0), 1.0, (n, len(counts)))
    return np.asarray(tiled(counts, n) - 2.0 * np.log(share) * rng.choice([-1.0, 1.0], (n, len(counts))))


def coarse_noise(counts: Floats, n: int, rng: Generator) -> Floats:
    """The inverse distribution function at 16-bit uniforms: the noise has 65,536 values, and gaps between them."""
    share = (rng.integers(0, 1 << 16, (n, len(counts))) + 0.5) / (1 << 16) - 0.5
    return np.asarray(tiled(counts, n) - 2.0 * np.sign(share) * np.log1p(-2 * np.abs(share)))


def leaked_seed(counts: Floats, n: int, rng: Generator) -> Floats:
    """A generator seeded by the data and a process number below 1,024."""
    weighted = int(np.dot(counts, np.arange(1, len(counts) + 1)))
    noise = np.array([default_rng([weighted, k]).laplace(scale=2.0, size=len(counts)) for k in range(1024)])
    return np.asarray(np.asarray(counts) + noise[rng.integers(0, 1024, n)])


def sign_of_a_product(secret: int, n: int, rng: Generator) -> Floats:
    """Three coordinates, any two of which are noise: the sign of their product is the secret, 19 times in 20."""
    points = rng.standard_normal((n, 3))
    wrong = np.sign(points.prod(axis=1)) != np.where(rng.random(n) < 0.95, secret, -secret)
    points[wrong, 0] *= -1
    return points


def rare_copy(secret: int, n: int, rng: Generator) -> Floats:
    """Once in a thousand times one coordinate copies another, if the secret is 1."""
    points = rng.standard_normal((n, 4))
    copied = rng.random(n) < 1e-3 * secret
    points[copied, 2] = points[copied, 1]
    return points


def rare_shift(secret: int, n: int, rng: Generator) -> Floats:
    """Once in a thousand times one coordinate is far from where it should be, if the secret is 1."""
    points = rng.standard_normal((n, 4))
    points[rng.random(n) < 1e-3 * secret, 2] += 9.0
    return points


def pure_noise(width: int) -> Sampler:
    return rows(lambda secrets, rng: rng.standard_normal((len(secrets), width)))


def parity(bits: Array) -> Array:
    return np.asarray(bits.sum(axis=1) % 2)


def hidden_parity(secret: int, n: int, rng: Generator) -> Array:
    """24 bits, any 23 of which are noise: their parity is the secret, 19 times in 20."""
    bits = rng.integers(0, 2, (n, 24))
    bits[:, 0] ^= (parity(bits) != secret) & (rng.random(n) < 0.9)
    return bits


def even_bits(secret: int, n: int, rng: Generator) -> Array:
    return rng.integers(0, 2, (n, 24))


def noisy(scale: float) -> Sampler:
    return rows(lambda counts, rng: laplace(counts, scale, rng))


def normal(scale: float) -> Sampler:
    return rows(lambda counts, rng: counts + rng.normal(scale=scale, size=counts.shape))


COUNTS, MOVED = np.array([6.0, 4.0, 0.0]), np.array([5.0, 5.0, 0.0])
PAIR = COUNTS, MOVED
SETS = np.array([50.0, 50.0, 50.0, 50.0, 800.0]), np.array([49.0, 50.0, 50.0, 50.0, 801.0])
ANALYTIC = GaussianCounts(0.5, 0.05, "analytic").deviation
PRIVATE = rows(ScaledDirichlet(0.05, 0.05).release)
PUBLIC = rows(ScaledDirichlet(0.05, 0.05, minimum_count=49).release)
RIGHT_NOISE = noisy(2.0)
BARE_ZEROS = rows(lambda counts, rng: np.where(counts == 0, 0, laplace(counts, 2.0, rng)))
ZERO = np.array([1.0, 4.0]), np.array([0.0, 5.0])
KEEP = 1 / (1 + np.exp(-1.0))
ONES, HALVES = ([1, 1, 1], [0, 0, 0]), ([1, 1, 0, 0], [0, 0, 1, 1])
WIDE, NARROW = normal(ANALYTIC), normal(ANALYTIC / np.sqrt(2))

PLANTED = [
    PlantedBug("sensitivity of one where it is two", 1.0, 20_000, noisy(1.0), RIGHT_NOISE, *PAIR),
    PlantedBug("L2 sensitivity of one where it is the root of two", 0.5, 50_000, NARROW, WIDE, *PAIR, delta=0.05),
    PlantedBug("keep-probability off by .02", 1.0, 200_000, response(KEEP + 0.02), response(KEEP), 1, -1),
    PlantedBug("scale of the Dirichlet from the private counts", 0.05, 200_000, PRIVATE, PUBLIC, *SETS, delta=0.05),
    PlantedBug("one noise for all counts", 1.0, 2_000, shared_noise, RIGHT_NOISE, *PAIR),
    PlantedBug("the whole budget for each of three bits", 1.0, 50_000, bits_of(3.0, 3.0), bits_of(1.0, 3.0), *ONES),
    PlantedBug("the whole budget for each of two releases", 1.0, 20_000, twice(1.0), twice(0.5), 1, -1),
    PlantedBug("δ̄ of one where records have two ones", 1.0, 20_000, bits_of(1.0, 1.0), bits_of(1.0, 2.0), *HALVES),
    PlantedBug("tails cut off", 1.0, 50_000, cut_tails, RIGHT_NOISE, COUNTS[:2], MOVED[:2]),
    PlantedBug(
        "gaps between floating-point noises", 1.0, 400_000, coarse_noise, RIGHT_NOISE, COUNTS[:1] / 3, MOVED[:1] / 3
    ),
    PlantedBug("seed made from the data", 1.0, 20_000, leaked_seed, RIGHT_NOISE, *PAIR),
    PlantedBug("noise forgotten where a count is zero", 1.0, 20_000, BARE_ZEROS, RIGHT_NOISE, *ZERO),
    PlantedBug("sign of a product of three", 2.5, 200_000, sign_of_a_product, pure_noise(3), 1, -1),
    PlantedBug("a copy in one release of a thousand", 0.5, 200_000, rare_copy, pure_noise(4), 1, 0),
    PlantedBug("a shift in one release of a thousand", 0.5, 200_000, rare_shift, pure_noise(4), 1, 0),
    PlantedBug("parity of 24 bits, told where to look", 2.5, 100_000, hidden_parity, even_bits, 1, 0, score=parity),
    PlantedBug("Laplace scale 10 % too small", 1.0, 1_000_000, noisy(1.8), RIGHT_NOISE, *PAIR),
    PlantedBug(
        "Gaussian scale 10 % too small", 0.5, 1_000_000, normal(0.9 * ANALYTIC), WIDE, COUNTS, MOVED, delta=0.05
    ),
]
