"""Importance weights against their formulas, and where these would underflow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.random import default_rng
from scipy.special import expit

from unveil.estimators.spread.labels import SampledLabels, SummedLabels
from unveil.types import Floats

LABELS = np.array([0, 1, 1, 0])
MATRIX = np.array([[0.8, 0.3], [0.2, 0.7]])


@given(arrays(float, (5, 4), elements=st.floats(-30, 30)))
def test_summed_weights_are_the_posterior_over_samples_and_labels(z: Floats) -> None:
    pulls, weights = SummedLabels(LABELS, MATRIX)(z, default_rng(0))
    joint = np.stack([MATRIX[LABELS, 0] * expit(-z), MATRIX[LABELS, 1] * expit(z)])
    joint /= joint.sum(axis=(0, 1))
    np.testing.assert_allclose(weights, joint.sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(pulls, joint[1] * expit(-z) - joint[0] * expit(z), rtol=1e-9, atol=1e-12)


def test_sampled_weights_follow_equation_59() -> None:
    z = default_rng(1).normal(size=(6, 4)) * 3
    pulls, weights = SampledLabels(LABELS, MATRIX)(z, default_rng(2))
    # A pull has the sign of 2c − 1, which tells the label that was drawn.
    drawn = pulls > 0
    expected = expit(np.where(drawn, z, -z))
    expected /= expected.sum(axis=0)
    np.testing.assert_allclose(weights, expected, rtol=1e-9)
    np.testing.assert_allclose(pulls, expected * (drawn - expit(z)), rtol=1e-9)


def test_labels_are_drawn_from_the_flips_read_backwards() -> None:
    pulls, _ = SampledLabels(np.repeat(LABELS, 50_000), MATRIX)(np.zeros((1, 200_000)), default_rng(3))
    share = (pulls > 0).reshape(4, -1).mean(axis=1)
    expected = (MATRIX[:, 1] / MATRIX.sum(axis=1))[LABELS]
    assert np.all(np.abs(share - expected) < 5.5 * np.sqrt(0.25 / 50_000))


@pytest.mark.parametrize("kind", [SampledLabels, SummedLabels])
@pytest.mark.parametrize("matrix", [MATRIX, np.eye(2)])
@pytest.mark.parametrize("level", [-1e4, -200.0, 0.0, 200.0, 1e4])
def test_nothing_underflows(kind: type, matrix: Floats, level: float) -> None:
    z = (level + np.arange(12).reshape(3, 4)).astype(np.float32)
    pulls, weights = kind(LABELS, matrix)(z, default_rng(4))
    assert np.isfinite(pulls).all()
    assert np.all(np.abs(pulls) <= 1)
    np.testing.assert_allclose(weights.sum(axis=0), 1, rtol=1e-5)


def test_parts_are_parts() -> None:
    z = default_rng(5).normal(size=(3, 4))
    whole, _ = SummedLabels(LABELS, MATRIX)(z, default_rng(0))
    part, _ = SummedLabels(LABELS, MATRIX).part(slice(1, 3))(z[:, 1:3], default_rng(0))
    assert np.array_equal(part, whole[:, 1:3])
