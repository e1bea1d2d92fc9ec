"""What must hold whatever the data: a feature's unit and place change its weight and interval accordingly, no more."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy.special import expit

from unveil import MeanOperatorClassifier, MomentRegression, SpreadLogisticRegression
from unveil.types import Array, Floats

#: The units of three features, and their order.
UNITS, ORDER = np.array([1.0, 50.0, 0.02]), [2, 0, 1]
NOISE = np.array([0.2, 0.1, 0.02])

Fit = Callable[[Floats, Array, Floats], Any]


def _world() -> tuple[Floats, Array]:
    rng = default_rng(7)
    X = rng.normal([0.5, -1.0, 0.0], [1.0, 2.0, 0.5], (600, 3))
    return X, (rng.random(600) < expit(X @ [1.0, -0.5, 2.0] - 0.7)).astype(int)


def _learn(flip: float, prior: str, X: Floats, y: Array, noise: Floats, l2: float = 0.0) -> Any:
    return SpreadLogisticRegression(flip, noise.tolist(), prior, noise="gaussian", l2=l2, tol=0).fit(X, y)


def _unflipped(X: Floats, y: Array, noise: Floats) -> Any:
    return _learn(0.0, "flat", X, y, 0 * noise)


_flipped, _penalised = partial(_learn, 0.1, "normal"), partial(_learn, 0.1, "flat", l2=0.1)


def _squares(X: Floats, y: Array, noise: Floats) -> Any:
    return MomentRegression().fit(X, y.astype(float))


def _operator(X: Floats, y: Array, noise: Floats) -> Any:
    return MeanOperatorClassifier(l2=0.0).fit(X, y)


@pytest.mark.parametrize("fit", [_flipped, _unflipped, _penalised, _squares, _operator])
def test_units_and_order_of_features_are_those_of_their_weights(fit: Fit) -> None:
    X, y = _world()
    model, scaled, permuted = fit(X, y, NOISE), fit(X * UNITS, y, NOISE * UNITS**2), fit(X[:, ORDER], y, NOISE[ORDER])
    weights, (low, high) = np.ravel(model.coef_), model.intervals().T
    assert len(low) == 4
    for found, expected in ((scaled, np.append(1 / UNITS, 1.0)), (permuted, np.ones(4))):
        places = [0, 1, 2, 3] if found is scaled else [*ORDER, 3]
        assert_allclose(np.ravel(found.coef_), (weights * expected[:3])[places[:3]], rtol=2e-3)
        assert_allclose(found.intervals(), np.column_stack([low, high])[places] * expected[:, None], rtol=5e-3)
        assert_allclose(np.ravel(found.intercept_), np.ravel(model.intercept_), rtol=5e-3)
    assert_allclose((low + high) / 2, np.append(weights, model.intercept_), rtol=1e-9)


@pytest.mark.parametrize("fit", [_unflipped, _operator])
def test_without_noise_intervals_are_those_of_the_information(fit: Fit) -> None:
    X, y = _world()
    model = fit(X, y, NOISE)
    rows = np.column_stack([X, np.ones(len(X))])
    chances = expit(rows @ np.append(model.coef_, model.intercept_))
    covariance = np.linalg.inv((rows * (chances * (1 - chances))[:, None]).T @ rows)
    low, high = model.intervals(0.9).T
    assert_allclose((high - low) / 2, 1.6448536 * np.sqrt(np.diagonal(covariance)), rtol=1e-3)
    # At the maximum of the likelihood the residuals have no product with any column.
    assert_allclose(rows.T @ (y - chances) / len(X), 0, atol=1e-4)


def test_more_noise_widens_intervals() -> None:
    X, y = _world()
    widths = [np.ptp(fit.intervals(), axis=1) for fit in (_unflipped(X, y, NOISE), _flipped(X, y, 0 * NOISE))]
    assert (widths[1] > widths[0]).all()


def test_a_penalty_shrinks_weights_and_their_intervals() -> None:
    X, y = _world()
    free, drawn = (_learn(0.1, "flat", X, y, NOISE, l2=l2) for l2 in (0.0, 0.1))
    assert (np.abs(drawn.coef_) < np.abs(free.coef_)).all()
    assert (np.ptp(drawn.intervals(), axis=1) < np.ptp(free.intervals(), axis=1)).all()


@pytest.mark.parametrize("variance", [np.array([1.0, 4.0, 0.3]), np.diag([1.0, 4.0, 0.3]) + 0.1])
def test_units_and_zeros_of_features_are_those_of_their_prior(variance: Floats) -> None:
    X, y = _world()
    moved, mean = np.array([3.0, 200.0, -0.1]), np.array([0.5, -1.0, 0.2])
    scale = np.outer(UNITS, UNITS) if variance.ndim == 2 else UNITS**2
    model, other = (
        SpreadLogisticRegression(0.1, noise.tolist(), prior, noise="gaussian").fit(inputs, y)
        for noise, prior, inputs in (
            (NOISE, (mean, variance), X),
            (NOISE * UNITS**2, (mean * UNITS + moved, variance * scale), X * UNITS + moved),
        )
    )
    assert_allclose(other.coef_ * UNITS, model.coef_, rtol=1e-3)
    assert_allclose(other.intercept_ + other.coef_ @ moved, model.intercept_, rtol=5e-3)
