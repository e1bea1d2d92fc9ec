"""The likelihood of flipped columns against the sum over all clean records, and what is learned from it."""

from __future__ import annotations

from itertools import product
from math import exp, log

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from scipy.special import expit
from scipy.stats import binom
from sklearn.linear_model import LogisticRegression

from checks import FALSE_ALARM
from unveil.estimators.spread.logistic_regression import SpreadLogisticRegression
from unveil.estimators.spread.tables import read_table
from unveil.mechanisms.noisy_records import NoisyRecords
from unveil.numerics.columns import bit_flip
from unveil.types import Array

COLUMNS, FLIP, STATES = [1, 3, 1], 0.3, 4
MATRIX = np.array([[0.9, 0.2], [0.1, 0.8]])


def noisy_table(n: int = 40) -> tuple[Array, Array]:
    rng = default_rng(0)
    X = np.column_stack([rng.integers(0, 4, n), rng.integers(0, 2, (n, 3)), rng.integers(0, 4, n)])
    return X, rng.integers(0, 2, n)


@pytest.mark.parametrize("size", [0.3, 3.0, 8.0])
def test_the_likelihood_is_the_sum_over_all_clean_records(size: float) -> None:
    X, y = noisy_table()
    scores = read_table(X, y, COLUMNS, FLIP, STATES, MATRIX, intercept=True)
    theta = size * default_rng(1).normal(size=6)
    rows = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    expected = 0.0
    for k, (row, count) in enumerate(zip(*rows, strict=True)):
        one = 0.0
        for states in product(*(range(chances.shape[1]) for chances in scores.chances)):
            chance = np.prod([chances[k, s] for chances, s in zip(scores.chances, states, strict=True)])
            z = sum(values[s] @ theta for values, s in zip(scores.values, states, strict=True))
            one += chance * expit(z)
        label = int(row[-1])
        expected += count * log(MATRIX[label, 0] * (1 - one) + MATRIX[label, 1] * one)
    value, slope = scores(theta)
    assert value == pytest.approx(expected, rel=1e-9)
    assert_allclose(slope, approx_fprime(theta, lambda at: scores(at)[0], 1e-6), atol=1e-3)


def test_the_chances_are_bayes_rule_with_the_law_that_fits_best() -> None:
    """Of the law of a column that EM found, the expected law of what is seen is what was seen."""
    rng, n = default_rng(2), 40_000
    clean = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    seen = np.where(rng.random(n) < 0.3, (clean + rng.integers(1, 3, n)) % 3, clean)
    bits = (clean[:, None] == [0, 1]) ^ (rng.random((n, 2)) < bit_flip(0.3, 3))  # of a category, the third is none
    table = np.column_stack([seen, bits])
    scores = read_table(table, np.zeros(n, dtype=int), [1, 2], 0.3, 3, MATRIX, intercept=False)
    number, category = (scores.counts @ chances / n for chances in scores.chances)
    assert_allclose(number, [0.6, 0.3, 0.1], atol=0.02)
    assert_allclose(category, [0.6, 0.3, 0.1], atol=0.03)


def test_a_category_is_flipped_at_the_level_of_a_number() -> None:
    """Every pair of records: two bits of a category differ at most."""
    veil = NoisyRecords(0.2, 0.1, states=2)
    one, bit = log(0.9 / 0.1), bit_flip(0.1, 2)
    assert 2 * log((1 - bit) / bit) == pytest.approx(one)

    def law(states: tuple[int, ...]) -> Array:
        """Of the report of a category of three names."""
        reports = np.array(list(product((0, 1), repeat=3)))
        return np.asarray(np.where(reports == states, 1 - bit, bit).prod(axis=1))

    categories = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)]
    worst = max(float(np.log(law(a) / law(b)).max()) for a in categories for b in categories)
    level = veil.label_epsilon + veil.input_epsilon + worst
    assert veil.record_epsilon([1, 3]) == pytest.approx(level, rel=1e-8)
    assert veil.record_epsilon([3]) == pytest.approx(veil.label_epsilon + worst, rel=1e-8)
    release = veil.publish((np.array([[1, 0, 1, 0], [0, 1, 0, 0]]), [0, 1]), columns=[1, 3])
    assert release.exact_epsilon == veil.record_epsilon([1, 3])
    assert release.parameters["columns"] == [1, 3]


def test_bits_are_flipped_as_often_as_is_said() -> None:
    X = np.tile([[1, 0, 1, 0]], (40_000, 1))
    release = NoisyRecords(0.2, 0.1, testing=True).publish((X, X[:, 0]), default_rng(3), columns=[1, 3])
    flips = (release.arrays["features"] != X).sum(axis=0)
    for k, rate in enumerate([0.1, *[bit_flip(0.1, 2)] * 3]):
        low, high = binom.ppf([FALSE_ALARM / 8, 1 - FALSE_ALARM / 8], len(X), rate)
        assert low <= flips[k] <= high


@pytest.mark.slow
def test_it_learns_through_the_flips_what_others_learn_without() -> None:
    rng, n = default_rng(4), 20_000
    X = np.column_stack([rng.integers(0, 3, n), np.eye(3, dtype=int)[rng.choice(3, n, p=[0.5, 0.3, 0.2])]])
    y = (rng.random(n) < expit(X @ [1.2, 0.8, -1.0, 0.2] - 1.5)).astype(int)
    release = NoisyRecords(0.1, 0.2, states=3, testing=True).publish((X, y), rng, columns=[1, 3])
    model = SpreadLogisticRegression().fit(release)
    shares = X / [2, 1, 1, 1]
    clear = LogisticRegression(C=1e4).fit(shares, y)
    assert model.converged_
    assert np.abs(model.predict_proba(X) - clear.predict_proba(shares)).mean() < 0.03
    low, high = model.intervals()[0]
    assert low < 2.4 < high
    assert high - low < 1.0
    plain = SpreadLogisticRegression(l2=1.0).fit(release)
    assert np.linalg.norm(plain.coef_) < np.linalg.norm(model.coef_) / 2


def test_scores_up_to_twenty_five_are_exact() -> None:
    """The rule for the integral, on a single state."""
    for z in (0.0, 1e-3, 5.0, 25.0, -25.0):
        scores = read_table(np.zeros((1, 1)), np.array([1]), [1], 0.0, 2, np.eye(2), intercept=True)
        scores.chances[0][:] = [1.0, 0.0]
        assert exp(scores(np.array([0.0, z]))[0]) == pytest.approx(max(expit(z), 1e-12), abs=1e-8)
