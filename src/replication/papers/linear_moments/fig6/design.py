"""What owner, baselines and referee of figure 6 agree on: splits, centring, statistics and their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from replication.papers.linear_moments.fig6.settings import Scaling
from unveil.types import Array, Arrays, Floats

TEST_SHARE = 0.2
#: The variants of a design, and whether they are centred: then entries have signs.
CENTRED: Mapping[str, bool] = {"raw": False, "centred": True}
#: The prepared fields of each scaling: features and target in [0, 1], and the split where there is one.
# ASSUME: the range of every feature and the largest target are public; nothing else is.
FIELDS: Mapping[Scaling, tuple[str, str, str]] = {
    "scaled": ("scaled_features", "scaled_target", "split"),
    "thinned": ("thinned_features", "thinned_target", "thinned_split"),
}


class Design(NamedTuple):
    """Scaled features and target of the training and the test part."""

    train: Array
    train_target: Array
    test: Array
    test_target: Array


def variants(fields: Arrays, scaling: Scaling, public: Generator) -> dict[str, Design]:
    """The design as it is, and centred."""
    design = split_design(fields, scaling, public)
    return {"raw": design, "centred": centred(design)}


def split_design(fields: Arrays, scaling: Scaling, public: Generator) -> Design:
    """Songs keep their own split; the other sets are split 80/20 anew in each trial."""
    features_name, target_name, split_name = FIELDS[scaling]
    features, target = fields[features_name], fields[target_name]
    if split_name in fields:
        split = np.asarray(fields[split_name])
        train, test = np.flatnonzero(split != 1), np.flatnonzero(split == 1)
    else:
        order = public.permutation(len(features))
        test, train = np.split(order, [round(TEST_SHARE * len(features))])
    return Design(features[train], target[train], features[test], target[test])


def centred(design: Design) -> Design:
    """The design around the means of its training part: entries in [−1, 1]."""
    # ASSUME: the means come free of charge, which favours the private estimators.
    middle, level = design.train.mean(axis=0, dtype=np.float64), design.train_target.mean(dtype=np.float64)
    middle, level = middle.astype(design.train.dtype), level.astype(design.train.dtype)
    return Design(design.train - middle, design.train_target - level, design.test - middle, design.test_target - level)


def products(X: Array, y: Array) -> Floats:
    """The statistics of a record: the upper triangle of xxᵀ, then x·y, shape (n, d(d + 1)/2 + d)."""
    rows, columns = np.triu_indices(X.shape[1])
    return np.concatenate([X[:, rows] * X[:, columns], X * y[:, None]], axis=1)


def unfold(statistics: Floats, d: int) -> tuple[Floats, Floats]:
    """(E[xxᵀ], E[x·y]) from the mean of `products`."""
    second = np.zeros((d, d))
    rows, columns = np.triu_indices(d)
    second[rows, columns] = second[columns, rows] = statistics[: len(rows)]
    return second, statistics[len(rows) :]


def number_of_products(d: int) -> int:
    """How many statistics a record has."""
    return d * (d + 1) // 2 + d


def rows_used(n: int, share: float) -> int:
    """How many of n records a share of them is; at least one."""
    return max(1, round(share * n))
