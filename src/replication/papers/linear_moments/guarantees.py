"""The mechanisms of Raghunathan et al. (2016), sections 3 and 4."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import inf
from typing import Any

import numpy as np
from numpy.random import Generator

from replication.judging.guarantees.case import Case, in_blocks, pure, row_by_row, tile_input
from replication.judging.guarantees.settings import LinearMoments, Products
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.mechanisms.regions import RegionCounts
from unveil.mechanisms.response import RandomizedResponse
from unveil.numerics.products import number_of_products
from unveil.privacy.channels import channel_epsilon
from unveil.types import Array, Floats

PAPER = "linear_moments"


def cases(settings: LinearMoments) -> list[Case]:
    """Randomised response, coordinate release in two forms, per-value release, and counts in a region.

    The response of figure 3 and the release of figure 6 are among them; levels are suprema over all records.
    """
    alpha, size, ones = settings.alpha, settings.statistics, settings.ones
    return [
        _response(settings.states, settings.truthful),
        _coordinate(alpha, size),
        _products(alpha, 2),
        _products(settings.songs.level, settings.songs.features),
        _per_value(alpha, size, ones),
        _housing(settings.housing),
        _regions(settings.window),
    ]


def _case(name: str, parameters: Mapping[str, object], claimed: float, exact: float, *drawn: Any, **more: Any) -> Case:
    """A case with pure levels; `drawn` is its release and the pair."""
    return Case(PAPER, name, parameters, pure(claimed), pure(exact), *drawn, **more)


def _response(states: int, truthful: float) -> Case:
    mechanism = RandomizedResponse(states, truthful)
    claimed, exact = mechanism.claimed_epsilon, channel_epsilon(mechanism.matrix)
    parameters = {"states": states, "truthful": truthful}
    release = row_by_row(mechanism.release)
    return _case("randomised_response", parameters, claimed, exact, release, 0, states - 1)


def corners(size: int, ones: int | None = None) -> Floats:
    """All binary vectors of this size, with at most so many ones."""
    every = np.array(list(product((0.0, 1.0), repeat=size)))
    return every if ones is None else every[every.sum(axis=1) <= ones]


def _coordinate(alpha: float, size: int) -> Case:
    mechanism = CoordinateRelease(alpha)

    def release(stats: Floats, n: int, rng: Generator) -> Array:
        released = mechanism.release(tile_input(stats, n), rng)
        return np.column_stack([released.coordinate, released.bit])

    # The statistics are shares of the bound, and the loss is largest between corners.
    exact = mechanism.level_between(corners(size))
    parameters = {"alpha": alpha, "statistics": size}
    pair = np.zeros(size), np.ones(size)
    return _case("coordinate_release", parameters, alpha, exact, release, *pair)


#: Releases of wide records that an audit may draw.
MOST = 200_000


def _products(alpha: float, features: int) -> Case:
    """One bit of x_i·y at α, or the three bits of [x_i², x_i·x_j, x_j²] at α/3 each, by a fair coin.

    Which of the products is drawn does not depend on the record, so that their number changes nothing.
    """
    mechanism = CoordinateRelease(alpha)

    def release(record: Floats, n: int, rng: Generator) -> Array:
        rows = tile_input(record, n)
        released = mechanism.release_products(rows[:, :-1], rows[:, -1], rng)
        return np.column_stack([released.first, released.second, released.bits])

    points = corners(2)
    squares = np.column_stack([points[:, 0] ** 2, points[:, 0] * points[:, 1], points[:, 1] ** 2])
    # Three bits that survive at α/3 are a per-value release of three statistics.
    exact = max(mechanism.level_between([[0.0], [1.0]]), PerValueRelease(alpha, 3.0).level_between(squares))
    pair = np.zeros(features + 1), np.ones(features + 1)

    def ones(released: Array) -> Floats:
        one, three = released[:, 2] & 1, np.bitwise_count(released[:, 2].astype(np.uint8)) / 3
        share: Floats = np.where(released[:, 0] == released[:, 1], 1.0 - 2 * one, 1.0 - 2 * three)
        return share

    parameters = {"alpha": alpha, "features": features}
    audited = ones if features > 2 else None
    return _case("coordinate_release_products", parameters, alpha, exact, release, *pair, log_ratio=audited, most=MOST)


def _per_value(alpha: float, size: int, ones: int) -> Case:
    mechanism = PerValueRelease(alpha, float(ones))
    exact = mechanism.level_between(corners(size, ones))
    here, there = np.zeros(size), np.zeros(size)
    here[:ones], there[-ones:] = 1.0, 1.0
    parameters = {"alpha": alpha, "delta_bar": ones, "statistics": size}
    return _case("per_value_release", parameters, alpha, exact, row_by_row(mechanism.release), here, there)


def _housing(design: Products) -> Case:
    """Figure 6: every product of two features, and of a feature and the target, may differ from 0."""
    size = number_of_products(design.features)
    alpha = design.level * size
    mechanism = PerValueRelease(alpha, float(size))
    # Every bit has the same two laws at the corners 0 and 1 of the records, and no product can do worse.
    exact = size * PerValueRelease(design.level, 1.0).level_between([[0.0], [1.0]])
    parameters = {"alpha": alpha, "delta_bar": size, "statistics": size}
    pair = np.zeros(size), np.ones(size)
    release = in_blocks(row_by_row(mechanism.release))
    audited: dict[str, Any] = {"log_ratio": lambda bits: np.count_nonzero(bits, axis=1) * -1.0, "most": MOST}
    return _case("per_value_release", parameters, alpha, exact, release, *pair, **audited)


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
    return _case("region_counts", {"window": window}, inf, inf, release, here, there)
