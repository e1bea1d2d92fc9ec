"""The mechanisms of Raghunathan et al. (2016), sections 3 and 4."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
from numpy.random import Generator

from replication.judging.guarantees.case import Case, pure, row_by_row, tiled
from replication.judging.guarantees.settings import LinearMoments
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.mechanisms.regions import RegionCounts
from unveil.mechanisms.response import RandomizedResponse
from unveil.privacy.channels import channel_epsilon
from unveil.types import Array, Floats

PAPER = "linear_moments"


def cases(settings: LinearMoments) -> list[Case]:
    """Randomised response, coordinate release in two forms, per-value release, and counts in a region."""
    alpha, size, ones = settings.alpha, settings.statistics, settings.ones
    return [
        _response(settings.states, settings.truthful),
        _coordinate(alpha, size),
        _products(alpha),
        _per_value(alpha, size, ones),
        _regions(settings.window),
    ]


def _response(states: int, truthful: float) -> Case:
    mechanism = RandomizedResponse(states, truthful)
    exact = channel_epsilon(mechanism.matrix)
    claimed = mechanism.claimed_epsilon
    parameters = {"states": states, "truthful": truthful}
    release = row_by_row(mechanism)
    return Case(PAPER, "randomised_response", parameters, pure(claimed), pure(exact), release, 0, states - 1)


def corners(size: int, ones: int | None = None) -> Floats:
    """All binary vectors of this size, with at most so many ones."""
    every = np.array(list(product((0.0, 1.0), repeat=size)))
    return every if ones is None else every[every.sum(axis=1) <= ones]


def _coordinate(alpha: float, size: int) -> Case:
    mechanism = CoordinateRelease(alpha)

    def release(stats: Floats, n: int, rng: Generator) -> Array:
        released = mechanism.release(tiled(stats, n), rng)
        return np.column_stack([released.coordinate, released.bit])

    # The statistics are shares of the bound, and the loss is largest between corners.
    exact = mechanism.level_between(corners(size))
    parameters = {"alpha": alpha, "statistics": size}
    pair = np.zeros(size), np.ones(size)
    return Case(PAPER, "coordinate_release", parameters, pure(alpha), pure(exact), release, *pair)


def _products(alpha: float) -> Case:
    """One bit of x_i·y at α, or the three bits of [x_i², x_i·x_j, x_j²] at α/3 each, by a fair coin."""
    mechanism = CoordinateRelease(alpha)

    def release(record: Floats, n: int, rng: Generator) -> Array:
        rows = tiled(record, n)
        released = mechanism.release_products(rows[:, :-1], rows[:, -1], rng)
        return np.column_stack([released.first, released.second, released.bits])

    points = corners(2)
    squares = np.column_stack([points[:, 0] ** 2, points[:, 0] * points[:, 1], points[:, 1] ** 2])
    # Three bits that survive at α/3 are a per-value release of three statistics.
    exact = max(mechanism.level_between([[0.0], [1.0]]), PerValueRelease(alpha, 3.0).level_between(squares))
    parameters = {"alpha": alpha, "features": 2}
    pair = np.zeros(3), np.ones(3)
    return Case(PAPER, "coordinate_release_products", parameters, pure(alpha), pure(exact), release, *pair)


def _per_value(alpha: float, size: int, ones: int) -> Case:
    mechanism = PerValueRelease(alpha, float(ones))
    exact = mechanism.level_between(corners(size, ones))
    here, there = np.zeros(size), np.zeros(size)
    here[:ones], there[-ones:] = 1.0, 1.0
    parameters = {"alpha": alpha, "delta_bar": ones, "statistics": size}
    return Case(PAPER, "per_value_release", parameters, pure(alpha), pure(exact), row_by_row(mechanism), here, there)


def _regions(window: int) -> Case:
    """Counting hides where the tags stand, and promises no privacy: the exact count gives a changed tag away."""
    mechanism = RegionCounts(window)

    def release(tags: Array, n: int, rng: Generator) -> Array:
        sentences = np.arange(n + 1) * len(tags)
        released = mechanism.release(np.tile(tags, n), sentences, rng, n_tags=2)
        return np.column_stack([released.start - sentences[:-1], released.counts])

    here = np.zeros(2 * window, dtype=np.int64)
    there = here.copy()
    there[0] = 1
    return Case(PAPER, "region_counts", {"window": window}, pure(inf), pure(inf), release, here, there)
