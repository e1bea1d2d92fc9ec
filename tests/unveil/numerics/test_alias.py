from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from unveil.numerics.alias import alias_table, packed_alias_tables


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12).filter(lambda w: sum(w) > 1e-3))
def test_alias_table_holds_the_distribution(weights: list[float]) -> None:
    w = np.array(weights)
    accept, alias = alias_table(w)
    reached = accept / len(w) + np.bincount(alias, weights=(1 - accept) / len(w), minlength=len(w))
    assert_allclose(reached, w / w.sum(), atol=1e-12)
    assert ((accept >= -1e-12) & (accept <= 1)).all()


@pytest.mark.parametrize("states", [2, 3, 100, 255, 256])
def test_packed_tables_hold_the_probabilities(states: int) -> None:
    """Rows that are flat, random, with many zeros, and all mass on one state."""
    rng = np.random.default_rng(10)
    weights = np.stack([np.ones(states), rng.random(states) ** 4, rng.random(states), np.zeros(states)])
    weights[2, rng.random(states) < 0.6] = 0
    weights[2, 0], weights[3, states // 2] = 0.1, 1
    probabilities = weights / weights.sum(axis=1, keepdims=True)
    packed = packed_alias_tables(probabilities)
    threshold, alias = (packed >> 8) / 2.0**24, packed & 255
    for row, expected in enumerate(probabilities):
        held = threshold[row] + np.bincount(alias[row], weights=1 - threshold[row], minlength=256)
        assert_allclose(held / 256, np.pad(expected, (0, 256 - states)), atol=2.0**-24)
