"""What owner, baselines and referee of figure 6 agree on: scaling, splits, statistics and their scales."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from unveil.types import Array, Arrays, Floats

#: The years of YearPredictionMSD, which are public.
FIRST_YEAR, YEARS = 1922, 89
TEST_SHARE = 0.2


class Design(NamedTuple):
    """Scaled features and target of the training and the test part."""

    train: Array
    train_target: Array
    test: Array
    test_target: Array


def scaled_design(dataset: str, fields: Arrays, public: Generator, every: int) -> Design:
    """Features in [0, 1] by their public ranges, the target by its public maximum, split as the paper does.

    Songs keep their own split; the other sets are split 80/20 anew in each trial. Only each `every`-th record
    is used.
    """
    # ASSUME: the range of every feature and the largest target are public; nothing else is.
    features = np.asarray(fields["features"][::every])
    low, high = features.min(axis=0), features.max(axis=0)
    width = np.where(high > low, high - low, 1)
    target = fields["target"][::every].astype(np.float64)
    target = (target - FIRST_YEAR) / YEARS if dataset.startswith("songs") else target / target.max()
    if "split" in fields:
        test = np.asarray(fields["split"][::every]) == 1
        parts = np.flatnonzero(~test), np.flatnonzero(test)
    else:
        order = public.permutation(len(features))
        cut = round(TEST_SHARE * len(features))
        parts = order[cut:], order[:cut]
    # Rounding could leave [0, 1] by a hair.
    train, test_part = (np.clip((features[rows] - low) / width, 0, 1) for rows in parts)
    dtype = train.dtype
    return Design(train, target[parts[0]].astype(dtype), test_part, target[parts[1]].astype(dtype))


def centred(design: Design) -> Design:
    """The design around the means of its training part: entries in [−1, 1]."""
    # ASSUME: the means come free of charge, which favours the private estimators.
    middle, level = design.train.mean(axis=0, dtype=np.float64), design.train_target.mean(dtype=np.float64)
    middle, level = middle.astype(design.train.dtype), level.astype(design.train.dtype)
    return Design(
        design.train - middle, design.train_target - level, design.test - middle, design.test_target - level
    )


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


def key(dataset: str, is_centred: bool, level: int) -> str:
    """The name under which a release is stored."""
    return f"{dataset}.{'centred' if is_centred else 'raw'}.{level}"


def variants(design: Design) -> Mapping[bool, Design]:
    """The design as it is and centred, by whether it is centred."""
    return {False: design, True: centred(design)}
