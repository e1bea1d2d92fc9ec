"""The compiled sampler against Bayes' rule by enumeration, and the sums against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from checks import FALSE_ALARM, assert_frequencies
from unveil.estimators.spread.input_posterior import FlipRates, pixel_tables
from unveil.estimators.spread.pixel_loops import sample_bytes, sample_pixels, weighted_counts, weighted_sums
from unveil.mechanisms.flips import PixelFlips
from unveil.types import Array, Floats


def _priors(states: int) -> Floats:
    """Four pixels: flat, random, with many zeros, all mass on one state."""
    rng = default_rng(10)
    table = np.stack([np.ones(states), rng.random(states) ** 4, rng.random(states), np.zeros(states)])
    table[2, rng.random(states) < 0.6] = 0
    table[2, 0] = 0.1
    table[3, states // 2] = 1
    priors: Floats = table / table.sum(axis=1, keepdims=True)
    return priors


def _draw(flip: float, noisy: Array, samples: int, seed: int, prior: Floats | None = None) -> tuple[Array, Floats]:
    """Samples (d, S, n) and z for θ = 1, 2, 3, …; without a prior under the flat one over bytes."""
    d, n = noisy.shape
    drawn, z = np.empty((d, samples, n), np.uint8), np.zeros((samples, n), np.float32)
    theta, seeds = np.arange(1, d + 1, dtype=np.float32), default_rng(seed).integers(0, 1 << 64, (d,), dtype=np.uint64)
    if prior is None:
        limit = np.uint32(FlipRates(flip, 256).flat_keep * 2.0**24)
        sample_bytes(noisy, limit, theta, seeds, drawn, z)
    else:
        sample_pixels(noisy, *pixel_tables(prior, FlipRates(flip, prior.shape[1])), theta, seeds, drawn, z)
    return drawn, z


@pytest.mark.parametrize(("states", "flip"), [(256, 0.2), (256, 0.4), (5, 0.3), (2, 0.1), (37, 0.9)])
def test_samples_follow_the_enumerated_posterior(states: int, flip: float) -> None:
    prior = _priors(states)
    seen = np.array([0, states // 2, states - 1], dtype=np.uint8)
    drawn, _ = _draw(flip, np.tile(np.repeat(seen, 50), (4, 1)), 4000, 11, prior)
    matrix = PixelFlips(flip, states).matrix
    for pixel in range(4):
        for position, state in enumerate(seen):
            posterior = matrix[state] * prior[pixel]
            counts = np.bincount(drawn[pixel, :, position * 50 : (position + 1) * 50].ravel(), minlength=states)
            if (posterior > 0).sum() == 1:
                assert counts[posterior > 0] == 200_000
            else:
                assert_frequencies(counts, posterior / posterior.sum(), FALSE_ALARM / 60)


@pytest.mark.parametrize("flip", [0.2, 0.9])
@pytest.mark.parametrize("images", [1, 2, 151])
def test_bytes_of_a_flat_prior_follow_the_same_posterior(flip: float, images: int) -> None:
    seen = np.array([0, 128, 255], dtype=np.uint8)
    drawn, _ = _draw(flip, np.tile(seen[:, None], (1, images)), 400_000 // images, seed=15)
    for pixel, state in enumerate(seen):
        counts = np.bincount(drawn[pixel].ravel(), minlength=256)
        assert_frequencies(counts, PixelFlips(flip, 256).matrix[state], FALSE_ALARM / 18)


def test_bytes_never_flipped_are_kept() -> None:
    noisy = default_rng(16).integers(0, 256, (4, 31), dtype=np.uint8)
    assert np.array_equal(_draw(0.0, noisy, 3, seed=17)[0], np.tile(noisy[:, None], (1, 3, 1)))
    assert _draw(0.3, noisy[:, :0], 7, seed=18)[1].shape == (7, 0)


@pytest.mark.parametrize(("prior", "seed"), [(None, 19), (np.full((2, 2), 0.5), 12)], ids=["bytes", "states"])
def test_samples_of_pixels_images_and_draws_are_independent(prior: Floats | None, seed: int) -> None:
    drawn = (_draw(0.4, np.zeros((2, 1000), np.uint8), 1000, seed, prior)[0] > 0).astype(np.uint8)
    for one, other in [
        (drawn[0], drawn[1]),
        (drawn[:, :-1], drawn[:, 1:]),
        (drawn[:, :, :-1], drawn[:, :, 1:]),
        (drawn[:, :, 500:], drawn[:, :, :500]),
        (drawn[:, :-1, 500:], drawn[:, 1:, :500]),
    ]:
        table = np.bincount(2 * one.ravel() + other.ravel(), minlength=4).reshape(2, 2)
        assert stats.chi2_contingency(table, correction=False).pvalue > FALSE_ALARM / 5


@pytest.mark.parametrize("prior", [None, _priors(256)], ids=["bytes", "states"])
def test_projections_belong_to_the_samples(prior: Floats | None) -> None:
    noisy = default_rng(13).integers(0, 256, (4, 31), dtype=np.uint8)
    drawn, z = _draw(0.3, noisy, 7, 14, prior)
    np.testing.assert_allclose(z, np.tensordot([1.0, 2.0, 3.0, 4.0], drawn.astype(float), axes=1), rtol=1e-6)


def test_the_same_seed_gives_the_same_samples() -> None:
    noisy = default_rng(15).integers(0, 256, (4, 30), dtype=np.uint8)
    first, again, other = (_draw(0.3, noisy, 7, seed, _priors(256))[0] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_sums_and_counts() -> None:
    rng = default_rng(16)
    drawn = rng.integers(0, 256, (5, 203), dtype=np.uint8)
    weights = rng.random(203).astype(np.float32)
    sums, counts = np.ones(5, np.float32), np.zeros((5, 256), np.float32)
    weighted_sums(drawn, weights, sums)
    weighted_counts(drawn, weights, counts)
    np.testing.assert_allclose(sums, 1 + drawn @ weights.astype(float), rtol=1e-5)
    expected = np.array([np.bincount(row, weights, 256) for row in drawn])
    np.testing.assert_allclose(counts, expected, rtol=1e-5, atol=1e-7)
