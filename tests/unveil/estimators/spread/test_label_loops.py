"""The compiled sums over images against the same written plainly, on few and many images, in both precisions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy.special import expit

from unveil.estimators.spread.label_loops import sum_alike, sum_projected, weigh
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
    found = sum_projected(mean, variance, theta, 0.3, noise, one, 1 - one)
    plainly = _plainly(mean.astype(float), variance.astype(float), theta.astype(float), 0.3, noise, one, 1 - one)
    # Samples are weighed in single precision, whatever the inputs are in.
    close = 2e-4 if kind is np.float32 else 5e-6
    np.testing.assert_allclose(found[0], plainly[0], rtol=close, atol=close * images)
    np.testing.assert_allclose(found[1:], plainly[1:], rtol=close, atol=close * images)


@given(st.floats(-700, 0), st.floats(0.01, 1))
def test_exponentials_are_exact_to_the_last_digits(x: float, one: float) -> None:
    pulls, weights = np.empty((2, 1)), np.empty((2, 1))
    weigh(np.array([[0.0], [x]]), np.array([[one]]), np.zeros((1, 1)), pulls, weights)
    assert weights[1, 0] / weights[0, 0] == pytest.approx(2 * expit(x), rel=1e-14)


@pytest.mark.parametrize("drawn", [False, True], ids=["summed", "sampled"])
@given(
    images=st.sampled_from([1, 2, 63, 64, 65, 200]),
    samples=st.sampled_from([1, 2, 10, 2000]),
    bend=st.sampled_from([0.0, 0.02]),
    seed=st.integers(0, 99),
)
def test_states_of_one_law_are_summed_like_their_moments(
    drawn: bool, images: int, samples: int, bend: float, seed: int
) -> None:
    rng = default_rng(seed)
    states: Floats = rng.integers(-6, 7, (images, 7)).astype(np.float32)
    theta: Floats = (0.3 * rng.normal(size=7)).astype(np.float32)
    noise: Floats = rng.normal(size=(samples, images)).astype(np.float32)
    one = (rng.random((samples, images)) < 0.5).astype(np.float32) if drawn else rng.random((1, images))
    law = 0.5, 0.1, bend / 2, bend
    found = sum_alike(states, law, theta, 0.3, noise, one, 1 - one)
    wide = states.astype(float)
    plainly = _plainly(0.5 + 0.1 * wide, bend / 2 + bend * wide**2, theta.astype(float), 0.3, noise, one, 1 - one)
    np.testing.assert_allclose(found[0], plainly[0], rtol=2e-4, atol=2e-4 * images)
    np.testing.assert_allclose(found[1:], plainly[1:], rtol=2e-4, atol=2e-4 * images)


def test_without_images_there_is_nothing_to_sum() -> None:
    nothing, theta = np.zeros((3, 0), np.float32), np.ones(2, np.float32)
    states, rest = np.zeros((0, 2), np.float32), (theta, 0.0, nothing, nothing, nothing)
    for found in (sum_projected(states, theta[None], *rest), sum_alike(states, (0.5, 0.1, 0.0, 0.1), *rest)):
        assert not found[0].any()
        assert found[1:] == (0, 0)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("level", [-800.0, -300.0, -90.0, -40.0])
def test_what_weighs_next_to_nothing_is_shared_out_all_the_same(kind: type, level: float) -> None:
    z: Floats = np.array([[level, 1.0], [level - 1, -level]], kind)
    one, zero = np.ones((1, 2), np.float32), np.zeros((1, 2), np.float32)
    pulls, weights = np.empty_like(z), np.empty_like(z)
    weigh(z, one, zero, pulls, weights)
    close = 1e-6 if kind is np.float32 else 1e-12
    shares = [1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))]
    np.testing.assert_allclose(weights[:, 0], shares, rtol=close)
    # So far below zero the pull of a sample is its weight.
    np.testing.assert_allclose(pulls[:, 0], shares, rtol=close)
    # The same inside a sum over images, in single precision, whose only input is z itself.
    close = 1e-6
    one_input: Floats = np.full((2, 1), level - 0.5, kind)
    noise: Floats = np.array([[0.5, 0.5], [-0.5, -0.5]], kind)
    found = sum_projected(one_input, np.ones((2, 1), kind), np.ones(1, kind), 0.0, noise, one, zero)
    assert found[1] == pytest.approx(2, rel=close)
    assert found[0][0] / 2 == pytest.approx(level - 0.5 + 0.5 * (shares[0] - shares[1]), rel=close)
    assert found[2] / 2 == pytest.approx(1 / (shares[0] ** 2 + shares[1] ** 2), rel=close)
