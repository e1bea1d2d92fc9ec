"""Agreements of rows against their definition."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from replication.papers.spread.attack.agreements import agreements


@pytest.mark.parametrize(("rows", "others", "entries"), [(3, 5, 784), (1, 1, 1), (2, 0, 4), (0, 2, 4), (2, 3, 0)])
def test_agreements_are_counted(rows: int, others: int, entries: int) -> None:
    rng = default_rng(0)
    first = rng.integers(0, 256, (rows, entries), dtype=np.uint8)
    second = np.where(rng.random((others, entries)) < 0.5, first[:1].repeat(others, axis=0) if rows else 7, 9)
    second = second.astype(np.uint8)
    expected = (first[:, None] == second).sum(axis=2)
    assert np.array_equal(agreements(first, second), expected)
