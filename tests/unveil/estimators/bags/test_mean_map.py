"""Mean map: exact where its assumption holds exactly, biased where it is broken."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from checks import assert_mean
from refusals import refused
from unveil.estimators.bags.mean_map import bag_means, mean_map, soft_label_operator_of
from unveil.types import Array, Floats


def homogeneous(rng: np.random.Generator, m: int = 600) -> tuple[Floats, Array, Array, Floats]:
    y = rng.choice([-1, 1], m, p=[0.4, 0.6])
    X = rng.normal(size=(m, 3)) + np.outer(y, [1.0, 0.0, -0.5]) + 0.7
    # Bags by label only: bag 0 mostly negative, bag 2 mostly positive.
    shares = np.where(y[:, None] > 0, [0.1, 0.3, 0.6], [0.6, 0.3, 0.1]).cumsum(axis=1)
    bags = np.sum(rng.random(m)[:, None] > shares, axis=1)
    return X, y, bags, np.array([np.mean(y[bags == j] > 0) for j in range(3)])


def test_pure_bags_give_the_mean_operator_exactly() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.choice([-1, 1], 50)
    bags = (y > 0).astype(int)
    assert_allclose(mean_map(X, bags, [0.0, 1.0]), y @ X / 50, atol=1e-13)
    assert_allclose(soft_label_operator_of(*bag_means(X, bags, 2), np.array([0.0, 1.0])), y @ X / 50, atol=1e-13)


def test_many_bags_match_weighted_least_squares() -> None:
    rng = np.random.default_rng(2)
    X, bags, p = rng.normal(size=(200, 3)), rng.integers(0, 7, 200), rng.random(7)
    means, sizes = bag_means(X, bags, 7)
    weight = np.sqrt(sizes)[:, None]
    classes = np.linalg.lstsq(weight * np.column_stack([p, 1 - p]), weight * means, rcond=None)[0]
    share = sizes @ p / 200
    assert_allclose(mean_map(X, bags, p), share * classes[0] - (1 - share) * classes[1], atol=1e-12)


def test_estimate_is_consistent_where_bags_are_homogeneous_and_soft_labels_are_not() -> None:
    rng = np.random.default_rng(3)
    errors, soft = [], []
    for _ in range(400):
        X, y, bags, p = homogeneous(rng)
        errors.append(mean_map(X, bags, p) - y @ X / len(y))
        soft.append(soft_label_operator_of(*bag_means(X, bags, 3), p) - y @ X / len(y))
    assert_mean(errors, np.zeros(3))
    with pytest.raises(AssertionError):
        assert_mean(soft, np.zeros(3))


test_bad_input_is_named = refused(
    ([0, 0, 1, 1], [0.5, 0.5], "proportions must differ"),
    ([0, 0, 0, 0], [0.5, 0.6], "bags must not be empty"),
    ([0, 0, 1, 2], [0.5, 0.6], "bags must lie in 0 … 1"),
    ([0, 0, 1], [0.5, 0.6], r"bags must have shape \(4,\)"),
    ([0.0, 0, 1, 1], [0.5, 0.6], "bags must lie"),
    ([0, 0, 1, 1], [0.5, 1.6], "proportions must lie"),
    ([0, 0, 1, 1], [0.5, np.nan], "proportions must lie"),
    ([0, 0, 1, 1], [[0.5, 0.1]], "proportions must be a vector"),
    call=lambda bags, p: mean_map(np.ones((4, 2)), bags, p),
)
