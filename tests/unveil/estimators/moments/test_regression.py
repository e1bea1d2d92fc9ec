from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.utils.estimator_checks import check_estimator

from refusals import refused
from unveil.errors import UnveilError
from unveil.estimators.moments.regression import MomentRegression
from unveil.mechanisms.bits import entry_noise
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease


def data(seed: int = 0, n: int = 400, d: int = 5) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 1, (n, d))
    return X, X @ rng.normal(size=d) + rng.normal(size=n)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("solver", ["truncated", "ridge"])
def test_without_noise_it_is_least_squares(solver: str, intercept: bool) -> None:
    X, y = data()
    expected = LinearRegression(fit_intercept=intercept).fit(X, y)
    ours = MomentRegression(solver, fit_intercept=intercept).fit(X, y)
    assert_allclose(ours.coef_, expected.coef_, rtol=1e-9)
    assert_allclose(ours.predict(X), expected.predict(X), rtol=1e-9)


def test_units_and_constant_columns_do_not_matter() -> None:
    X, y = data()
    wide = np.column_stack([X * [1e-6, 1.0, 1e6, 1.0, 1.0] + [0, 1e4, 0, 0, 0], np.full(len(X), 7.0)])
    expected = LinearRegression().fit(X, y)
    ours = MomentRegression().fit(wide, y)
    assert_allclose(ours.predict(wide), expected.predict(X), atol=1e-5)
    assert ours.coef_[-1] == 0


def test_collinear_features_get_the_shortest_solution() -> None:
    X, y = data()
    X = np.column_stack([X, X[:, 0]])
    assert_allclose(MomentRegression(fit_intercept=False).fit(X, y).coef_, np.linalg.lstsq(X, y)[0], atol=1e-8)


def test_ridge_adds_the_noise_to_a_positive_spectrum() -> None:
    X, y = data()
    noise = 0.03
    expected = Ridge(alpha=noise * np.sqrt(5) * len(X), fit_intercept=False).fit(X, y)
    ours = MomentRegression("ridge", noise, fit_intercept=False).fit(X, y)
    assert_allclose(ours.coef_, expected.coef_, rtol=1e-9)


@pytest.mark.parametrize(
    ("solver", "noise", "spectrum", "expected"),
    [
        # 2σ√d = 0.4: what is not above it goes.
        ("truncated", 0.1, [4.0, 1.0, 0.2, -0.5], [1 / 4, 1.0, 0.0, 0.0]),
        ("truncated", 0.1, [4.0, 1.0, 0.5, 0.399], [1 / 4, 1.0, 2.0, 0.0]),
        ("truncated", 0.1, [4.0, 1.0, 0.5, 0.401], [1 / 4, 1.0, 2.0, 1 / 0.401]),
        ("truncated", 10.0, [4.0, 1.0, 0.2, -0.5], [0.0] * 4),
        # Clipped at zero, and σ√d = 0.5 added.
        ("ridge", 0.25, [4.0, -3.0, 1.0, 0.5], [1 / 4.5, 1 / 0.5, 1 / 1.5, 1.0]),
    ],
)
def test_what_the_spectrum_is_replaced_by(
    solver: str, noise: float, spectrum: list[float], expected: list[float]
) -> None:
    model = MomentRegression(solver, noise).fit_moments(np.diag(spectrum), np.ones(4))
    assert_allclose(model.coef_, expected)
    assert model.rank_ == np.count_nonzero(expected)


def test_second_moments_stay_in_their_cone() -> None:
    second = np.array([[1.0, 2.0], [2.0, 1.0]])
    model = MomentRegression("truncated", 0.1).fit_moments(second, np.ones(2))
    values = np.linalg.eigvalsh(model.second_)
    assert_allclose(values, [0, 3], atol=1e-12)


def test_moments_of_unknown_noise_are_not_taken_silently() -> None:
    """Second moments with a negative eigenvalue are noisy, whatever was said."""
    exact = MomentRegression().fit_moments(np.diag([2.0, 1.0]), np.ones(2))
    assert_allclose(exact.coef_, [0.5, 1.0])
    with pytest.raises(UnveilError, match="noise must be given"):
        MomentRegression().fit_moments(np.diag([2.0, -0.1]), np.ones(2))


@pytest.mark.parametrize("intercept", [True, False])
def test_intervals_in_the_clear_are_those_of_the_sandwich(intercept: bool) -> None:
    X, y = data(n=2000)
    model = MomentRegression(fit_intercept=intercept).fit(X, y)
    errors, design = y - model.predict(X), np.column_stack([X, np.ones(2000)]) if intercept else X
    inverse, weights = np.linalg.inv(design.T @ design), np.append(model.coef_, [model.intercept_] * intercept)
    sandwich = inverse @ (design.T * errors**2) @ design @ inverse
    half = 1.959963985 * np.sqrt(np.diag(sandwich))
    assert_allclose(model.intervals(), np.column_stack([weights - half, weights + half]), rtol=1e-8)


@pytest.mark.filterwarnings("ignore::unveil.errors.TooNoisy")
@pytest.mark.parametrize("intercept", [True, False])
def test_intervals_say_how_many_directions_are_missing(intercept: bool) -> None:
    X, y = data()
    twice = MomentRegression(fit_intercept=intercept).fit(np.column_stack([X, X[:, :2]]), y)
    with pytest.warns(UserWarning, match=f"left 2 of {7 + intercept} directions"):
        twice.intervals()
    veil = CoordinateRelease(30.0)
    release = veil.publish((X, np.clip(y, 0, 1)), np.random.default_rng(0), intercept=intercept)
    noisy = MomentRegression("truncated", 0.1).fit(release)
    missing = 5 + intercept - noisy.rank_
    assert missing > 0
    with pytest.warns(UserWarning, match=f"left {missing} of {5 + intercept} directions"):
        noisy.intervals()


@pytest.mark.slow
def test_entry_noise_bounds_the_spread_of_debiased_means() -> None:
    mechanism, rng = PerValueRelease(1.0, 1.0), np.random.default_rng(1)
    means = [mechanism.debias(mechanism.release(np.full((500, 1), 0.5), rng)).mean() for _ in range(2_000)]
    assert np.std(means) == pytest.approx(entry_noise(500, mechanism.keep), rel=0.1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_accepts_it() -> None:
    check_estimator(MomentRegression(), expected_failed_checks={})


test_impossible_input_names_the_rule = refused(
    (lambda: MomentRegression("raw", 0.0).fit_moments(np.eye(2), np.ones(2)), "solver must be one of"),
    (lambda: MomentRegression(noise=-1.0).fit_moments(np.eye(2), np.ones(2)), "noise must be finite"),
    (lambda: MomentRegression(noise=0.0).fit_moments(np.eye(3), np.ones(2)), r"second must be \(d, d\)"),
    (lambda: MomentRegression(noise=0.0).fit_moments([[1.0, 2.0], [0.0, 1.0]], np.ones(2)), "symmetric"),
    (lambda: MomentRegression(noise=0.0).fit_moments(np.full((2, 2), np.nan), np.ones(2)), "second must be finite"),
    (lambda: MomentRegression(noise=0.0).fit_moments(np.eye(2), np.ones(2)).intervals(), "moments alone"),
    (lambda: MomentRegression().fit(*data()).intervals(2.0), "level must lie"),
    (lambda: entry_noise(0, 0.9), "effective_n must be positive"),
    (lambda: entry_noise(10, 0.5), "keep must lie in"),
)
