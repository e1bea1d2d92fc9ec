"""Label and pixel flips: their laws, their privacy, their errors."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng

from checks import assert_frequencies, assert_mean
from refusals import refused
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.types import Floats


@pytest.mark.parametrize("pair", [(0.2, None), (0.1, 0.4), (0.01, 0.3), (0.7, 0.8)])
def test_labels_follow_the_matrix(pair: tuple[float, float | None]) -> None:
    veil = LabelFlips(*pair)
    for label in (0, 1):
        released = veil.release(np.full(200_000, label, dtype=np.uint8), default_rng(1))
        assert released.dtype == np.uint8
        assert_frequencies(np.bincount(released, minlength=2), veil.matrix[:, label])


@pytest.mark.parametrize(("flip", "states"), [(0.2, 256), (0.4, 256), (0.5, 3), (0.9, 4), (0.3, 2)])
def test_pixels_follow_the_matrix(flip: float, states: int) -> None:
    veil = PixelFlips(flip, states)
    for state in (0, states // 2, states - 1):
        released = veil.release(np.full((400, 500), state, dtype=np.uint8), default_rng(2))
        assert released.shape == (400, 500)
        assert_frequencies(np.bincount(released.ravel(), minlength=states), veil.matrix[:, state])


def test_debiasing_is_unbiased() -> None:
    labels, pixels = LabelFlips(0.1, 0.3), PixelFlips(0.4)
    truth = np.array([0, 1])
    assert_mean(labels.debias(labels.release(np.tile(truth, (100_000, 1)), default_rng(3))), truth)
    grey = np.array([0, 17, 255])
    assert_mean(pixels.debias(pixels.release(np.tile(grey, (200_000, 1)), default_rng(4))), grey)


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_label_privacy_is_the_largest_log_ratio(up: float, down: float) -> None:
    if math.isclose(up + down, 1, abs_tol=1e-9):
        return
    matrix = LabelFlips(up, down).matrix
    ratios = [abs(math.log(matrix[i, 0] / matrix[i, 1])) for i in (0, 1)]
    assert LabelFlips(up, down).epsilon == pytest.approx(max(ratios), abs=1e-12)


def test_certain_reports_have_no_privacy() -> None:
    assert LabelFlips(0.0).epsilon == math.inf
    assert LabelFlips(0.0, 0.3).epsilon == math.inf
    assert PixelFlips(0.0).epsilon == math.inf
    assert PixelFlips(0.0).image_epsilon(3) == math.inf


def _image_laws(veil: PixelFlips, pixels: int) -> Floats:
    """The laws of all released images of `pixels` pixels, for the images 00… and 11…."""
    return np.array(
        [veil.matrix[list(image), :2].prod(axis=0) for image in product(range(veil.states), repeat=pixels)]
    ).T


@pytest.mark.parametrize(("flip", "states", "pixels"), [(0.3, 4, 3), (0.2, 2, 5), (0.7, 3, 4), (0.8, 2, 4)])
def test_image_delta_matches_enumeration(flip: float, states: int, pixels: int) -> None:
    veil = PixelFlips(flip, states)
    one, other = _image_laws(veil, pixels)
    assert veil.image_epsilon(pixels) == pytest.approx(np.abs(np.log(one / other)).max())
    for epsilon in (0.0, 0.4, 1.3, veil.epsilon * (pixels - 0.5)):
        brute = np.maximum(one - math.exp(epsilon) * other, 0).sum()
        assert veil.image_delta(epsilon, pixels) == pytest.approx(brute, rel=1e-12, abs=1e-15)


def test_image_epsilon_inverts_image_delta() -> None:
    veil = PixelFlips(0.4)
    epsilon = veil.image_epsilon(784, delta=1e-5)
    assert veil.image_delta(epsilon, 784) == pytest.approx(1e-5, rel=1e-6)
    assert 0 < epsilon < veil.image_epsilon(784)


test_bad_input_names_the_argument = refused(
    *((LabelFlips, rate, "zero_to_one") for rate in (1.0, -0.1, math.nan)),
    (LabelFlips, 0.2, 1.2, "one_to_zero"),
    *((LabelFlips, *rates, "invertible") for rates in ((0.5,), (0.3, 0.7))),
    (PixelFlips, 1.0, "flip"),
    (PixelFlips, 255 / 256, "uniform"),
    (PixelFlips, 0.1, 1, "states"),
    (LabelFlips(0.1).release, [0, 2], default_rng(0), "labels"),
    (LabelFlips(0.1).release, [0.0, 1.0], default_rng(0), "whole numbers"),
    *((PixelFlips(0.1).release, [[pixel]], default_rng(0), "pixels") for pixel in (256, -1)),
    (PixelFlips(0.1).image_epsilon, 784, 1.0, "delta"),
    (PixelFlips(0.1).image_delta, 1.0, 0, "pixels"),
)


def test_no_flips_change_nothing() -> None:
    pixels = default_rng(5).integers(0, 256, (3, 4), dtype=np.uint8)
    assert np.array_equal(PixelFlips(0.0).release(pixels, default_rng(6)), pixels)
    assert np.array_equal(LabelFlips(0.0).release([0, 1, 1], default_rng(6)), [0, 1, 1])
