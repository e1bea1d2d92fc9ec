"""What owner, baselines and referee of figure 6 agree on: splits, centring, and how a design is released."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields
from replication.papers.linear_moments.fig6.settings import Dataset, Protocol
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.numerics.products import number_of_products
from unveil.types import Array, Arrays

TEST_SHARE = 0.2
#: The variants of a design, and whether they are centred: then entries have signs.
CENTRED: Mapping[str, bool] = {"raw": False, "centred": True}
#: The prepared fields of each scaling: features and target in [0, 1], and the split where there is one.
# ASSUME: the range of every feature and the largest target are public; nothing else is.
FIELDS: Mapping[str, tuple[str, str, str]] = {
    "scaled": ("scaled_features", "scaled_target", "split"),
    "sparse": ("scaled_features", "scaled_target", "split"),
    "thinned": ("thinned_features", "thinned_target", "thinned_split"),
}
#: Data sets under the other mechanism: claims compare them, the picture leaves them out.
SWAPPED: Mapping[Dataset, Dataset] = {"housing_coordinate": "housing", "songs_subset_per_value": "songs_subset"}
#: What is prepared under another name.
SOURCES: Mapping[Dataset, Dataset] = {"housing_sparse": "housing", **SWAPPED}
# ASSUME: in the sparse reading a feature says whether it is in the upper half of its range; of more than this many
# that are, the first ones are kept, so that δ̄ is small whatever the record.
MOST_ONES = 5


class Parts(NamedTuple):
    """Scaled features and target of the training and the test part."""

    train: Array
    train_target: Array
    test: Array
    test_target: Array


def variants(fields: Fields, dataset: Dataset, protocol: Protocol, public: Generator) -> Iterator[tuple[str, Parts]]:
    """The design as it is, and centred; centred, sparse statistics would be sparse no more, and no claim is made."""
    design = split_design(fields[SOURCES.get(dataset, dataset)], protocol.design, public)
    if protocol.design == "sparse":
        yield "raw", design._replace(train=upper_halves(design.train), test=upper_halves(design.test))
    else:
        yield "raw", design
        if dataset not in SWAPPED:
            yield "centred", centre(design)


def split_design(fields: Arrays, scaling: str, public: Generator) -> Parts:
    """Songs keep their own split; the other sets are split 80/20 anew in each trial."""
    features_name, target_name, split_name = FIELDS[scaling]
    features, target = fields[features_name], fields[target_name]
    if split_name in fields:
        split = np.asarray(fields[split_name])
        train, test = np.flatnonzero(split != 1), np.flatnonzero(split == 1)
    else:
        order = public.permutation(len(features))
        test, train = np.split(order, [round(TEST_SHARE * len(features))])
    return Parts(features[train], target[train], features[test], target[test])


def centre(design: Parts) -> Parts:
    """The design around the means of its training part: entries in [−1, 1]."""
    # ASSUME: the means come free of charge, which favours the private estimators.
    middle, level = design.train.mean(axis=0, dtype=np.float64), design.train_target.mean(dtype=np.float64)
    middle, level = middle.astype(design.train.dtype), level.astype(design.train.dtype)
    return Parts(design.train - middle, design.train_target - level, design.test - middle, design.test_target - level)


def upper_halves(X: Array) -> Array:
    """One bit a feature: whether it lies in the upper half of its range; at most `MOST_ONES` of them."""
    high = X > 0.5
    return (high & (high.cumsum(axis=1) <= MOST_ONES)).astype(float)


def delta_bar(protocol: Protocol, d: int) -> float:
    """The largest number of statistics that are not zero: all, unless the reading is sparse."""
    return float(number_of_products(min(d, MOST_ONES) if protocol.design == "sparse" else d))


#: By a level and δ̄, the largest number of statistics that are not zero: φ-RR by value at α/δ̄, by coordinate at α.
MECHANISMS: Mapping[str, Callable[[float, float], PerValueRelease | CoordinateRelease]] = {
    "per_value": lambda level, delta_bar: PerValueRelease(level * delta_bar, delta_bar),
    "coordinate": lambda level, _: CoordinateRelease(level),
}


def veil(protocol: Protocol, d: int, level: float) -> PerValueRelease | CoordinateRelease:
    """The mechanism at a level: α for coordinate release, α/δ̄ for per-value release."""
    return MECHANISMS[protocol.mechanism](level, delta_bar(protocol, d))


def rows_used(n: int, share: float) -> int:
    """How many of n records a share of them is; at least one."""
    return max(1, round(share * n))
