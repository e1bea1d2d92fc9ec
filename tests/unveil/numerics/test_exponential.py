from __future__ import annotations

import numpy as np
from numpy.random import default_rng
from numpy.testing import assert_allclose

from unveil.numerics.exponential import exponential

exponentials = np.vectorize(exponential)


def test_exponentials_are_right_to_the_last_digits() -> None:
    row = np.concatenate([default_rng(0).uniform(-707.0, 0.0, 700), default_rng(1).uniform(-1.0, 0.0, 300)])
    assert_allclose(exponentials(row) / np.exp(row.astype(np.longdouble)), np.ones(1000), rtol=0, atol=5e-16)


def test_exponentials_of_the_extremes() -> None:
    row = np.array([0.0, -708.0, -709.0, -1e300, -np.inf, np.nan, 700.0, 1e-300])
    expected = [1.0, np.exp(-708.0), 0.0, 0.0, 0.0, np.nan, np.exp(700.0), 1.0]
    assert_allclose(exponentials(row), expected, rtol=1e-15)
