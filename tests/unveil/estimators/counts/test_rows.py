from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose

from unveil.estimators.counts.rows import exponentials, lane_sum


@pytest.mark.parametrize("size", [0, 1, 3, 4, 5, 16, 45, 1000])
def test_exponentials_are_right_to_the_last_digits(size: int) -> None:
    row = np.sort(default_rng(size).uniform(-707.0, 0.0, size)) + 3.0
    row[: size // 3] = default_rng(1).uniform(2.0, 3.0, size // 3)
    out = np.empty(size)
    exponentials(row, 3.0, out)
    expected = np.exp((row - 3.0).astype(np.longdouble))
    assert_allclose(out / expected, np.ones(size), rtol=0, atol=5e-16)


def test_exponentials_of_the_extremes() -> None:
    row = np.array([0.0, -708.0, -709.0, -1e300, -np.inf, np.nan, 700.0, 1e-300])
    out = np.empty(len(row))
    exponentials(row, 0.0, out)
    assert_allclose(out, [1.0, np.exp(-708.0), 0.0, 0.0, 0.0, np.nan, np.exp(700.0), 1.0], rtol=1e-15)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7, 8, 45])
def test_sums_are_those_of_whole_numbers(size: int) -> None:
    row = default_rng(size).integers(-1000, 1000, size).astype(float)
    assert lane_sum(row) == row.sum()
