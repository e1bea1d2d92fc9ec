"""Figure 6, the owner: products of features and target, released by one of the two structured mechanisms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from replication.papers.linear_moments.fig6.design import (
    Design,
    key,
    number_of_products,
    products,
    scaled_design,
    variants,
)
from replication.randomness import Trial
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.types import Arrays


def release(
    fields: Mapping[str, Arrays], trial: Trial, *, datasets: Sequence[str], protocols: Mapping[str, Any]
) -> Arrays:
    """Every data set at every level, as it is and centred; in random order, so that a head is a sample."""
    released: dict[str, Any] = {}
    for dataset in datasets:
        protocol = protocols[dataset]
        veil = _per_value if protocol["mechanism"] == "per_value" else _coordinate
        design = scaled_design(dataset, fields[dataset], trial.public, protocol["every"])
        for is_centred, variant in variants(design).items():
            released[f"{dataset}.dimension"] = np.array(variant.train.shape[1])
            parts = veil(variant, protocol["levels"], is_centred, trial.rng)
            for level, arrays in enumerate(parts):
                released |= {
                    f"{key(dataset, is_centred, level)}.{name}": part for name, part in arrays.items()
                }
    return released


def _per_value(design: Design, levels: Sequence[float], signed: bool, rng: Generator) -> Iterable[Arrays]:
    """All statistics of a record, one bit each; a level is α/δ̄ with δ̄ the number of statistics."""
    delta_bar = number_of_products(design.train.shape[1])
    statistics = products(design.train, design.train_target)
    shares = (statistics + 1) / 2 if signed else statistics
    for level in levels:
        bits = PerValueRelease(level * delta_bar, delta_bar).release(shares, rng)
        yield {"bits": np.packbits(bits, axis=1)}


def _coordinate(design: Design, levels: Sequence[float], signed: bool, rng: Generator) -> Iterable[Arrays]:
    """One product or three of a record; a level is α."""
    for level in levels:
        released = CoordinateRelease(level).release_products(design.train, design.train_target, rng, signed)
        order = rng.permutation(len(design.train))
        yield {name: getattr(released, name)[order] for name in ("first", "second", "bits")}
