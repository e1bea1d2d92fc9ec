"""What is learned from a holder's second moments: against least squares and discriminants, and against simulation."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator, default_rng
from numpy.testing import assert_allclose
from scipy.stats import binom
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import check_estimator

from checks import FALSE_ALARM
from unveil.estimators.moments.classifier import MomentClassifier
from unveil.estimators.moments.noisy_moments import NoisyMoments
from unveil.estimators.moments.regression import MomentRegression
from unveil.mechanisms.exact_moments import ExactMoments
from unveil.types import Array

WEIGHTS = np.array([0.3, -0.2, 0.1, 0.25, -0.05])
COLUMNS = (1, 1, 3)


def mixed(n: int, rng: Generator) -> tuple[Array, Array]:
    """Two numbers and a category, and a target in [0, 1] with noise."""
    X = np.column_stack([rng.random((n, 2)), np.eye(3)[rng.integers(0, 3, n)]])
    return X, np.clip(0.3 + X @ WEIGHTS + rng.normal(0, 0.05, n), 0, 1)


def test_next_to_no_noise_is_least_squares() -> None:
    rng = default_rng(0)
    X, y = mixed(300_000, rng)
    model = MomentRegression("truncated").fit(
        ExactMoments(20.0, steps=1 << 10, testing=True).publish((X, y), rng, COLUMNS)
    )
    expected = LinearRegression().fit(X, y)
    # One name of the category is the others' complement: the predictions are the same, not all weights.
    assert_allclose(model.predict(X[:100]), expected.predict(X[:100]), atol=1e-3)
    assert model.rank_ == 5
    assert model.skill_ == pytest.approx(expected.score(X, y), abs=2e-3)


def test_a_classifier_next_to_no_noise_is_the_linear_discriminant() -> None:
    rng = default_rng(1)
    X, score = mixed(300_000, rng)
    y = np.where(score + rng.normal(0, 0.1, len(X)) > 0.45, "yes", "no")
    veil = ExactMoments(20.0, steps=1 << 10, testing=True)
    model = MomentClassifier().fit(veil.publish((X, y), rng, COLUMNS, ("no", "yes")))
    expected = LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(model.predict_proba(X[:200]), expected.predict_proba(X[:200]), atol=5e-3)
    assert np.mean(model.predict(X) == expected.predict(X)) > 0.99


@pytest.mark.filterwarnings("ignore")
def test_in_the_clear_it_is_scikit_learns_discriminant() -> None:
    rng = default_rng(2)
    X = rng.normal(size=(400, 3)) * [1.0, 1000.0, 1e-3] + [0.0, 5000.0, 1.0]
    y = (X @ [1.0, 1e-3, 500.0] + rng.normal(size=400) > 505).astype(int)
    expected = LinearDiscriminantAnalysis().fit(X, y)
    assert_allclose(MomentClassifier().fit(X, y).predict_proba(X), expected.predict_proba(X), atol=1e-2)
    check_estimator(MomentClassifier())


def test_a_classifiers_covariance_is_that_of_least_squares_in_its_units() -> None:
    rng = default_rng(9)
    y = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 2)) * [1.0, 50.0] + y[:, None] * [2.0, 30.0]
    model, squares = MomentClassifier().fit(X, y), LinearRegression().fit(X, 2 * y - 1)
    stretch = model.coef_[0] / squares.coef_
    assert_allclose(stretch, stretch[0], rtol=1e-9)
    design = np.column_stack([X, np.ones(len(X))])
    rest = np.mean((2 * y - 1 - squares.predict(X)) ** 2)
    covariance = stretch[0] ** 2 * rest * np.linalg.inv(design.T @ design)
    assert_allclose(np.asarray(model.covariance_), covariance, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["regression", "classifier"])
def test_intervals_cover(kind: str) -> None:
    """95 % of 95 % intervals, by an exact binomial test over independent tables; of a solver that adds no bias."""
    rng, inside, trials = default_rng(3), 0, 300
    veil, weights = ExactMoments(2.0, testing=True), np.array([0.4, -0.3])
    for _ in range(trials):
        X = rng.random((8000, 2))
        y = np.clip(0.4 + X @ weights + rng.normal(0, 0.1, 8000), 0, 1)
        if kind == "regression":
            ends = MomentRegression().fit(veil.publish((X, y), rng)).intervals()[0]
            truth = 0.4
        else:
            # Normal classes of one covariance: the discriminant's weight is the difference of means over the variance.
            codes = rng.integers(0, 2, 8000)
            X = np.clip(rng.normal(0.4 + 0.2 * codes[:, None], 0.1, (8000, 2)), 0, 1)
            ends = MomentClassifier().fit(veil.publish((X, codes), rng, classes=(0, 1))).intervals()[0]
            truth = 20.0
        inside += ends[0] <= truth <= ends[1]
    # A classifier's factor is taken as known, so that its intervals may be somewhat too short.
    assert inside >= binom.ppf(FALSE_ALARM, trials, 0.95 if kind == "regression" else 0.85)


@pytest.mark.parametrize("solver", ["truncated", "ridge"])
def test_the_expected_skill_is_that_on_other_records(solver: str) -> None:
    rng, test = default_rng(4), mixed(20_000, default_rng(5))
    for epsilon in (0.5, 2.0):
        expected, found = [], []
        for _ in range(60):
            release = ExactMoments(epsilon, testing=True).publish(mixed(20_000, rng), rng, COLUMNS)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = MomentRegression(solver).fit(release)
            expected.append(model.skill_)
            found.append(model.score(*test))
        assert np.mean(expected) == pytest.approx(np.mean(found), abs=0.05)


def test_a_model_without_any_use_says_so() -> None:
    X, y = mixed(200, default_rng(6))
    release = ExactMoments(0.1, testing=True).publish((X, y), default_rng(7), COLUMNS)
    with pytest.warns(UserWarning, match="no better than the mean"):
        MomentRegression().fit(release)
    labels = ExactMoments(0.1, testing=True).publish((X, y > 0.5), default_rng(7), COLUMNS, (False, True))
    with pytest.warns(UserWarning, match="no better than the majority"):
        MomentClassifier().fit(labels)


@pytest.mark.filterwarnings("ignore:at this level")
def test_nothing_is_learned_from_moments_below_their_noise() -> None:
    X = default_rng(6).random((200, 1))
    release = ExactMoments(0.01, testing=True).publish((X, X[:, 0]), default_rng(7))
    model = MomentRegression("truncated").fit(release)
    assert (model.rank_, model.intercept_) == (0, 0.5)
    assert model.coef_ == 0


def test_split_moments_have_errors_that_are_uncorrelated() -> None:
    rng, trials = default_rng(10), 2000
    deviations = np.array([[2.0, 1.0, 0.5], [1.0, 0.0, 3.0], [0.5, 3.0, 1.0]])
    known, others = [], []
    for _ in range(trials):
        errors = np.triu(rng.normal(size=(3, 3)) * deviations)
        moments = NoisyMoments(errors + np.triu(errors, 1).T, deviations, np.ones(1), np.zeros(1), 100)
        first, second = moments.split(rng)
        assert_allclose([first.matrix, second], [first.matrix.T, second.T])
        known.append(first.matrix)
        others.append(second)
    assert_allclose(np.std(known, axis=0), first.deviations, rtol=6 / np.sqrt(2 * trials))
    spread = np.std(known, axis=0) * np.std(others, axis=0)
    assert np.all(np.abs(np.mean(np.multiply(known, others), axis=0)) <= 6 / np.sqrt(trials) * spread)


def test_merged_releases_have_the_noise_of_all() -> None:
    rng, veil = default_rng(8), ExactMoments(1.0, testing=True)
    parts = [veil.publish(mixed(5000, rng), rng, COLUMNS) for _ in range(4)]
    whole = parts[0].merge(parts[1]).merge(parts[2]).merge(parts[3])
    one, four = (NoisyMoments.of(release).deviations[0, 1] * release.records for release in (parts[0], whole))
    assert four == pytest.approx(2 * one)
    streamed: Any = MomentRegression()
    for part in parts:
        streamed.partial_fit(part)
    assert_allclose(streamed.coef_, MomentRegression().fit(whole).coef_)


def test_intervals_say_where_directions_are_missing() -> None:
    rng = default_rng(9)
    release = ExactMoments(2.0, testing=True).publish(mixed(20_000, rng), rng, COLUMNS)
    model = MomentRegression("truncated").fit(release)
    assert model.rank_ == 5
    with pytest.warns(UserWarning, match="1 of 6 directions"):
        model.intervals()
