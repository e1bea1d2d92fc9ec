from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusals import refused
from unveil.numerics.simplex import check_proportions, project_to_simplex

vectors = st.lists(st.floats(-50, 50), min_size=1, max_size=7)


@given(vectors, st.floats(0.1, 30))
def test_projection_is_the_nearest_point(entries: list[float], total: float) -> None:
    x = np.array(entries)
    p = project_to_simplex(x, total)
    assert (p >= 0).all()
    assert p.sum() == pytest.approx(total)
    # Optimality: moving mass from a used coordinate to any other never comes nearer.
    residual = p - x
    used = p > 1e-9 * total
    assert residual[used].max() <= residual.min() + 1e-8


def test_each_row_may_have_its_own_total() -> None:
    rows = np.array([[1.0, 5.0], [-3.0, 1.0]])
    np.testing.assert_allclose(project_to_simplex(rows, [6.0, 4.0]), [[1.0, 5.0], [0.0, 4.0]])


test_bad_points = refused(
    ([np.nan, 1.0], 1.0, "finite"),
    ([0.0, 1.0], 0.0, "total"),
    (np.empty((2, 0)), 1.0, "at least one entry"),
    call=project_to_simplex,
)


def test_proportions_are_returned_as_they_are() -> None:
    rows = np.array([[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]])
    np.testing.assert_array_equal(check_proportions(rows.tolist()), rows)


test_bad_proportions = refused(
    ([0.5, 0.5], "must be a matrix"),
    ([[0.5, np.nan]], "finite"),
    ([[1.5, -0.5]], "negative"),
    ([[0.5, 0.4]], "sum to one"),
    call=check_proportions,
)
