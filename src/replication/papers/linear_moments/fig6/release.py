"""Figure 6, the owner: products of features and target, released by one of the two structured mechanisms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named
from replication.papers.linear_moments.fig6.design import CENTRED, Design, number_of_products, products, variants
from replication.papers.linear_moments.fig6.settings import Mechanism, Release
from replication.randomness import Trial
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.types import Array, Arrays

#: The release of one level; a signed design has entries in [−1, 1].
Veil: TypeAlias = Callable[[float, Generator], Arrays]


def release(fields: Fields, trial: Trial, settings: Release) -> Named:
    """Every data set at every level, as it is and centred; in random order, so that a head is a sample."""
    released: dict[Key, Array] = {}
    for dataset, protocol in settings.protocols.items():
        if dataset not in fields:
            continue
        for variant, design in variants(fields[dataset], protocol.design, trial.public).items():
            released[dataset, "dimension"] = np.array(design.train.shape[1])
            veil = VEILS[protocol.mechanism](design, CENTRED[variant])
            for i, level in enumerate(protocol.levels):
                for name, part in veil(level, trial.rng).items():
                    released[dataset, variant, i, name] = part
    return released


def _per_value(design: Design, signed: bool) -> Veil:
    """All statistics of a record, one bit each; a level is α/δ̄ with δ̄ the number of statistics."""
    delta_bar = number_of_products(design.train.shape[1])
    statistics = products(design.train, design.train_target)
    shares = (statistics + 1) / 2 if signed else statistics

    def veil(level: float, rng: Generator) -> Arrays:
        bits = PerValueRelease(level * delta_bar, delta_bar).release(shares, rng)
        return {"bits": np.packbits(bits, axis=1)}

    return veil


def _coordinate(design: Design, signed: bool) -> Veil:
    """One product or three of a record; a level is α."""

    def veil(level: float, rng: Generator) -> Arrays:
        released = CoordinateRelease(level).release_products(design.train, design.train_target, rng, signed)
        order = rng.permutation(len(design.train))
        return {name: getattr(released, name)[order] for name in ("first", "second", "bits")}

    return veil


VEILS: Mapping[Mechanism, Callable[[Design, bool], Veil]] = {"per_value": _per_value, "coordinate": _coordinate}
