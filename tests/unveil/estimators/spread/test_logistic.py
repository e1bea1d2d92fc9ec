"""The estimator as its users meet it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import expit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from refusals import refused
from unveil.estimators.spread.logistic import SpreadLogisticRegression
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.types import Array


def _images(n: int = 120, d: int = 12, seed: int = 30) -> tuple[Array, Array]:
    rng = default_rng(seed)
    return rng.integers(0, 256, (n, d), dtype=np.uint8), rng.integers(0, 2, n)


GAUSSIAN: dict[str, Any] = {"noise": "gaussian", "rate": 0.3}
WHOLE: dict[str, Any] = {"level": "z", "labels": "summed", "fit_intercept": True}


@parametrize_with_checks([
    SpreadLogisticRegression(0.05, 0.05, (0.0, 25.0), 20, **GAUSSIAN, **WHOLE),
    SpreadLogisticRegression(0.05, 0.05, samples=5, iterations=200, centre=True, **GAUSSIAN),
])  # fmt: skip
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("level", ["pixel", "z"])
@pytest.mark.parametrize("labels", ["sampled", "summed"])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": True}, {"centre": True}, {"l2": 0.1, "centre": True}])
def test_without_noise_it_is_gradient_ascent(level: Any, labels: Any, options: dict[str, Any]) -> None:
    X, y = _images()
    model = SpreadLogisticRegression(
        samples=2, level=level, labels=labels, rate=0.5, iterations=60, random_state=1, **options
    ).fit(X, y)
    x = X / 255
    mean = x.mean(axis=0) if options.get("centre") else np.zeros(12)
    theta, intercept = np.zeros(12), 0.0
    for _ in range(60):
        residual = (y - expit((x - mean) @ theta + intercept)) / len(x)
        theta, intercept = (
            theta + 0.5 * (residual @ (x - mean) - options.get("l2", 0.0) * theta),
            intercept + 0.5 * residual.sum() * bool(options.get("fit_intercept")),
        )
    np.testing.assert_allclose(model.coef_[0], theta, atol=2e-5)
    np.testing.assert_allclose(model.intercept_[0], intercept - mean @ theta, atol=2e-5)
    np.testing.assert_allclose(model.decision_function(X), x @ theta + model.intercept_[0], atol=1e-4)


@pytest.mark.parametrize("prior", ["flat", "learned"])
@pytest.mark.parametrize("level", ["pixel", "z"])
def test_seeds_decide_everything_and_checkpoints_nothing(prior: Any, level: Any) -> None:
    X, y = _images()
    model = SpreadLogisticRegression(0.1, 0.2, prior, level=level, iterations=20, random_state=5)
    first = model.fit(X, y).coef_
    marked = clone(model).set_params(checkpoints=[5, 20]).fit(X, y)
    assert np.array_equal(marked.coef_, first)
    assert np.array_equal(marked.coef_path_[1], first[0])
    half = clone(model).set_params(iterations=5).fit(X, y)
    assert np.array_equal(marked.coef_path_[0], half.coef_[0])
    assert not np.array_equal(clone(model).set_params(random_state=6).fit(X, y).coef_, first)
    generators = [clone(model).set_params(random_state=default_rng(7)).fit(X, y).coef_ for _ in range(2)]
    assert np.array_equal(*generators)


def _veiled(inputs: int, size: float) -> tuple[Array, Array, Array]:
    """A true θ, and flipped observations of a model with uniform inputs."""
    rng = default_rng(31)
    theta = size * np.where(np.arange(inputs) % 2, -1.0, 1.0)
    clean = rng.integers(0, 4, (20_000, inputs)).astype(np.uint8)
    y = (rng.random(len(clean)) < expit(clean @ theta / 3)).astype(np.uint8)
    return theta, PixelFlips(0.3, 4).release(clean, rng), LabelFlips(0.2).release(y, rng)


@pytest.mark.slow
def test_it_finds_the_model_where_noisy_training_does_not() -> None:
    theta, X, c = _veiled(6, 1.5)
    common: dict[str, Any] = {"states": 4, "rate": 20.0, "iterations": 100, "labels": "summed", "random_state": 1}
    spread = SpreadLogisticRegression(0.2, 0.3, "flat", 20, **common).fit(X, c)
    plain = SpreadLogisticRegression(samples=1, level="z", **common).fit(X, c)
    errors = [np.linalg.norm(model.coef_[0] - theta) for model in (spread, plain)]
    assert errors[0] < 0.9
    assert errors[1] > 2.4


@pytest.mark.slow
def test_both_levels_agree_where_there_are_many_inputs() -> None:
    _, X, c = _veiled(60, 0.8)
    common: dict[str, Any] = {"states": 4, "rate": 3.0, "iterations": 40, "labels": "summed", "random_state": 1}
    one, other = (
        SpreadLogisticRegression(0.2, 0.3, "flat", 20, level=level, **common).fit(X, c).coef_[0]
        for level in ("pixel", "z")
    )
    assert np.linalg.norm(one - other) < 0.03 * np.linalg.norm(one)


def test_learned_prior_is_returned() -> None:
    X, y = _images()
    model = SpreadLogisticRegression(0.1, 0.2, "learned", 3, iterations=5, random_state=1).fit(X, y)
    assert model.prior_.shape == (12, 256)
    np.testing.assert_allclose(model.prior_.sum(axis=1), 1)
    assert (model.prior_ > 0).all()


def test_classes_keep_their_names() -> None:
    X, y = _images()
    names = np.array(["nine", "seven"])[y]
    model = SpreadLogisticRegression(0.1, 0.2, iterations=3, random_state=1).fit(X, names)
    assert list(model.classes_) == ["nine", "seven"]
    assert set(model.predict(X)) <= {"nine", "seven"}
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


BAD_SETTINGS: dict[str, list[Any]] = {
    "label_flip": [1.0, -0.1, 0.5, (0.4, 0.6), (0.1, 0.2, 0.3), np.nan], "input_noise": [1.0, -0.1, 255 / 256, np.nan],
    "noise": ["poisson"], "labels": ["guessed"], "level": ["y"], "states": [257], "samples": [0], "iterations": [0],
    "rate": [0.0], "l2": [-1.0], "smoothing": [0.0], "checkpoints": [[500]],
    "prior": ["steep", np.ones((2, 2)), np.ones((12, 256))],
}  # fmt: skip
test_bad_settings_name_the_argument = refused(
    *(({name: value}, name) for name, values in BAD_SETTINGS.items() for value in values),
    ({"states": 100}, "pixel states"),
    ({"input_noise": -1.0, "noise": "gaussian"}, "input_noise"),
    ({"prior": "learned", "noise": "gaussian"}, "prior"),
    ({"prior": (0.0, -1.0), "noise": "gaussian"}, "prior"),
    call=lambda settings: SpreadLogisticRegression(**settings).fit(*_images()),
)


X, Y = _images()
FLIPS = SpreadLogisticRegression(0.1, 0.1, iterations=2, random_state=1)
test_bad_data_are_named = refused(
    (FLIPS.fit, X, Y + np.arange(len(Y)) % 2, "binary"),
    (FLIPS.fit, X, np.zeros(len(Y)), "binary"),
    (FLIPS.fit, X + 0.5 * (X < 255), Y, "whole pixel states"),
    (FLIPS.fit, X.astype(float) + 1, Y, "pixel states"),
    (SpreadLogisticRegression(rate=1e200, iterations=4, l2=1e150).fit, X, Y, "rate"),
)


def test_missing_numbers_and_predictions_before_a_fit_are_scikit_learns_errors() -> None:
    with pytest.raises(NotFittedError):
        clone(FLIPS).predict(X)
    with pytest.raises(ValueError, match="NaN"):
        FLIPS.fit(np.where(X[0, 0] == X, np.nan, X), Y)
