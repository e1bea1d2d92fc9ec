"""Columns as features: which of their products are known, and how often bits are flipped."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_array_equal

from refusals import refused
from unveil.numerics.columns import bit_flip, column_places, public_products, require_categories

COLUMNS = [1, 3, 1, 2]


@pytest.mark.parametrize("classified", [False, True])
def test_known_products_are_sums_of_others(classified: bool) -> None:
    """By least squares: what is known is the same combination of z = (features, 1, target) in every record."""
    rng, n = default_rng(0), 400
    names = [np.eye(width)[rng.integers(0, width, n)] for width in (3, 2)]
    features = np.column_stack([rng.random((n, 1)), names[0], rng.random((n, 1)), names[1]])
    require_categories(features, COLUMNS)
    target = rng.choice([-1.0, 1.0], n) if classified else rng.random(n)
    z = np.column_stack([features, np.ones(n), target])
    d = features.shape[1]
    known = public_products(COLUMNS, classified)
    for i in range(d + 2):
        for j in range(d + 2):
            product = z[:, i] * z[:, j]
            left = product - z @ np.linalg.lstsq(z, product)[0]
            # What stands beside the constant is what the others are sums of.
            own = d in (i, j) and i != j
            assert known[i, j] == (not own and bool(np.abs(left).max() < 1e-9)), (i, j)


def test_columns_stand_one_after_the_other() -> None:
    names = [f"{column}{name}" for column, width in zip("abcd", COLUMNS, strict=True) for name in range(width)]
    found = [names[start : start + width] for start, width in column_places(COLUMNS)]
    assert found == [["a0"], ["b0", "b1", "b2"], ["c0"], ["d0", "d1"]]


@pytest.mark.parametrize(("flip", "states"), [(0.1, 2), (0.3, 4), (0.7, 30)])
def test_two_bits_say_as_much_as_one_number(flip: float, states: int) -> None:
    bit = bit_flip(flip, states)
    assert 2 * log((1 - bit) / bit) == pytest.approx(log((1 - flip) / (flip / (states - 1))))


def test_beside_numbers_in_the_clear_no_bit_is_flipped() -> None:
    assert_array_equal([bit_flip(0.0, states) for states in (2, 30)], 0)


def _categories(*rows: list[float]) -> None:
    require_categories(np.array(rows, dtype=float), [1, 2])


def test_a_category_may_be_none_of_its_names() -> None:
    _categories([7.5, 0, 0], [-1, 1, 0], [0, 0, 1])


test_bad_features_are_refused = refused(
    ([0, 1], "3 features"),
    ([0, 1, 1], "a single one"),
    ([0, 2, 0], "a single one"),
    ([0, 0.5, 0], "a single one"),
    ([0, 2, -1], "a single one"),
    call=_categories,
)
