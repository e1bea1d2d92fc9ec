"""Compiled draws against the laws they follow, and against the same written plainly."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats

from unveil.numerics.draws import STEP, coins, copy_ahead, normals
from unveil.numerics.row_hashes import weights
from unveil.types import Floats


def _words(seed: int, number: int) -> list[int]:
    """SplitMix64 in whole numbers of any size."""
    words, mask = [], (1 << 64) - 1
    for i in range(number):
        word = (seed + int(STEP) * i) & mask
        word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & mask
        word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & mask
        words.append(word ^ (word >> 31))
    return words


@pytest.mark.parametrize("number", [0, 1, 2, 5, 64, 1001])
def test_pairs_are_box_and_mullers(number: int) -> None:
    half = (number + 1) // 2
    seed = int(default_rng(1).integers(0, 1 << 64, dtype=np.uint64))
    plainly = np.zeros(number)
    pairs = []
    for word in _words(seed, half):
        radius = np.sqrt(-2 * np.log(((word >> 32) + 0.5) / 2**32))
        angle = ((word & (2**30 - 1)) + 0.5) / 2**30 * np.pi / 2 - np.pi / 4
        pair = [np.sin(angle), np.cos(angle)] if word >> 31 & 1 == 0 else [np.cos(angle), np.sin(angle)]
        pairs.append((-radius if word >> 30 & 1 else radius) * np.array(pair))
    # Of an odd number the last pair has the middle one.
    for i, pair in enumerate(pairs):
        plainly[number - half + i] = pair[1]
    for i, pair in enumerate(pairs):
        plainly[i] = pair[0]
    found = normals((number,), default_rng(1))
    assert found.dtype == np.float32
    if number == 1:
        assert np.isclose(found[0], pairs[0], rtol=2e-7).any()
    else:
        np.testing.assert_allclose(found, plainly, rtol=2e-7, atol=1e-9)


def test_normals_are_normal_and_independent() -> None:
    found: Floats = normals((2, 500_000), default_rng(2)).astype(float)
    assert stats.kstest(found.ravel(), "norm").pvalue > 0.01
    assert abs(stats.kurtosis(found.ravel())) < 0.03
    for first, second in ((found[0], found[1]), (found[0, 1:], found[0, :-1]), (found[0] ** 2, found[1] ** 2)):
        assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(500_000)


def test_coins_fall_by_chance() -> None:
    chances = np.array([0.0, 1e-9, 0.1, 0.5, 0.9, 1.0])
    heads, tails = coins(200_000, chances, default_rng(3))
    assert heads.dtype == tails.dtype == np.float32
    assert np.array_equal(heads + tails, np.ones_like(heads))
    deviations = np.sqrt(chances * (1 - chances) / len(heads))
    assert np.all(np.abs(heads.mean(axis=0, dtype=float) - chances) <= 4 * deviations + 1e-8)
    words = np.array(_words(int(default_rng(3).integers(0, 1 << 64, dtype=np.uint64)), 12), np.uint64)
    assert np.array_equal(heads[:2] > 0, (words >> np.uint64(32)).reshape(2, 6) < chances * 2.0**32)
    assert coins(0, chances, default_rng(4))[0].shape == (0, 6)
    assert coins(3, chances[:0], default_rng(4))[0].shape == (3, 0)


def test_hashes_weigh_columns_by_the_same_words_made_odd() -> None:
    assert weights(6).tolist() == [word | 1 for word in _words(int(STEP), 6)]


def test_a_copy_draws_what_the_generator_leaves_out() -> None:
    rng = default_rng(5)
    copy = copy_ahead(rng, 7)
    words = default_rng(5).integers(1 << 64, size=12, dtype=np.uint64)
    assert np.array_equal(copy.integers(1 << 64, size=12, dtype=np.uint64), words)
    assert np.array_equal(rng.integers(1 << 64, size=5, dtype=np.uint64), words[7:])
