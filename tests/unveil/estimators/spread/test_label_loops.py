"""The compiled sums over images against the same written plainly, on few and many images, in both precisions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy.special import expit

from unveil.estimators.spread.label_loops import projected, weigh
from unveil.types import Floats


def _plainly(
    mean: Floats, variance: Floats, theta: Floats, intercept: float, noise: Floats, one: Floats, zero: Floats
) -> tuple[Floats, float, float]:
    deviation = np.sqrt(np.broadcast_to(variance, mean.shape) @ theta**2)
    z = mean @ theta + intercept + deviation * noise
    weights = one * expit(z) + zero * expit(-z)
    total = weights.sum(axis=0)
    pulls = (one - zero) * expit(z) * expit(-z) / total
    along = np.divide((pulls * noise).sum(axis=0), deviation, out=np.zeros_like(deviation), where=deviation > 0)
    gradient = pulls.sum(axis=0) @ mean + along @ np.broadcast_to(variance, mean.shape) * theta
    return gradient, float(pulls.sum()), float((1 / ((weights / total) ** 2).sum(axis=0)).sum())


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("shared", [False, True], ids=["own variances", "one for all"])
@pytest.mark.parametrize("drawn", [False, True], ids=["summed", "sampled"])
@given(
    images=st.sampled_from([1, 2, 63, 64, 65, 200]), samples=st.sampled_from([1, 2, 10, 2000]), seed=st.integers(0, 99)
)
def test_sums_over_images(kind: type, shared: bool, drawn: bool, images: int, samples: int, seed: int) -> None:
    rng = default_rng(seed)
    mean: Floats = rng.normal(size=(images, 7)).astype(kind)
    variance: Floats = (rng.random((1 if shared else images, 7)) * (rng.random() < 0.8)).astype(kind)
    theta: Floats = rng.normal(size=7).astype(kind)
    noise: Floats = rng.normal(size=(samples, images)).astype(kind)
    one = (rng.random((samples, images)) < 0.5).astype(np.float32) if drawn else rng.random((1, images))
    found = projected(mean, variance, theta, 0.3, noise, one, 1 - one)
    plainly = _plainly(mean.astype(float), variance.astype(float), theta.astype(float), 0.3, noise, one, 1 - one)
    close = 2e-4 if kind is np.float32 else 1e-10
    np.testing.assert_allclose(found[0], plainly[0], rtol=close, atol=close * images)
    np.testing.assert_allclose(found[1:], plainly[1:], rtol=close, atol=close * images)


def test_without_images_there_is_nothing_to_sum() -> None:
    nothing = np.zeros((3, 0))
    gradient, pull, effective = projected(np.zeros((0, 2)), np.ones((1, 2)), np.ones(2), 0.0, nothing, nothing, nothing)
    assert not gradient.any()
    assert pull == effective == 0


@given(st.floats(-700, 0), st.floats(0.01, 1))
def test_exponentials_are_exact_to_the_last_digits(x: float, one: float) -> None:
    pulls, weights = np.empty((2, 1)), np.empty((2, 1))
    weigh(np.array([[0.0], [x]]), np.array([[one]]), np.zeros((1, 1)), pulls, weights)
    assert weights[1, 0] / weights[0, 0] == pytest.approx(2 * expit(x), rel=1e-14)
