"""Labels read back from a mean operator, against elimination, enumeration and a bounded solver."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import lsq_linear

from refusals import refused
from unveil.estimators.statistics.label_reconstruction import reconstruct_labels, relax_labels


@pytest.mark.parametrize(("m", "d"), [(10, 10), (25, 40), (40, 25), (90, 60)])
def test_exact_release_gives_every_label_away(m: int, d: int) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(m, d)), rng.choice([-1, 1], m)
        assert np.array_equal(reconstruct_labels(X, y @ X / m), y)


def test_no_labels_fit_better_where_enumeration_is_possible() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(12, 7)), rng.choice([-1, 1], 12)
    best = min(product([-1, 1], repeat=12), key=lambda s: float(np.linalg.norm(np.array(s) @ X - y @ X)))
    assert np.array_equal(reconstruct_labels(X, y @ X / 12), best)


def test_a_category_of_one_gives_its_member_away_among_thousands() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(3000, 5)), rng.choice([-1, 1], 3000)
    X[:, 4] = 0
    X[7, 4] = 1
    assert reconstruct_labels(X, y @ X / 3000)[7] == y[7]


def test_relaxation_solves_the_bounded_least_squares_problem() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 40))
    target = 3 * rng.normal(size=40) / 30
    theirs = lsq_linear(X.T, 30 * target, bounds=(-1, 1), tol=1e-12)
    ours = relax_labels(X, target)
    assert np.linalg.norm(X.T @ ours - 30 * target) ** 2 / 2 == pytest.approx(theirs.cost, rel=1e-6)
    assert_allclose(ours, theirs.x, atol=1e-3)


def test_known_noise_shrinks_the_guess() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(20, 10)), rng.choice([-1, 1], 20)
    sizes = [np.abs(relax_labels(X, y @ X / 20, noise)).mean() for noise in (0.0, 0.1, 1.0, 100.0)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 0.01


def test_features_of_nothing_tell_nothing() -> None:
    assert np.array_equal(reconstruct_labels(np.zeros((3, 2)), np.zeros(2)), [1, 1, 1])


test_bad_input = refused(
    (np.ones(3), np.ones(1), 0.0, "X must be a matrix"),
    (np.ones((3, 2)), np.ones(3), 0.0, r"mu must have shape \(2,\)"),
    (np.ones((3, 2)), np.array([np.nan, 0]), 0.0, "finite"),
    (np.ones((3, 2)), np.ones(2), -1.0, "noise_deviation"),
    (np.ones((3, 2)), np.ones(2), "much", "^noise_deviation must"),
    (np.ones((3, 2)), ["a", "b"], 0.0, "^mu must"),
    ([["a", "b"]], np.ones(2), 0.0, "^X must"),
    call=reconstruct_labels,
)
