"""Points around their mean against the plain arithmetic."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.random import default_rng

from unveil.estimators.bags.centring import centred
from unveil.types import Array


def plainly(points: Array, starts: Array) -> tuple[Array, Array]:
    """The same with a new array a step."""
    parts = [points[a:b] for a, b in pairwise(starts)]
    centre = np.stack([part.sum(axis=0, dtype=float) for part in parts]).sum(axis=0) / len(points)
    moving = np.ptp(points, axis=0) > 0
    moved = points[:, moving] - centre[moving].astype(points.dtype)
    return moved, (moved.astype(float) ** 2).sum(axis=1).astype(points.dtype)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("still", [(), (0,), (1, 4, 6), tuple(range(7))])
@pytest.mark.parametrize("starts", [[0, 1], [0, 5], [0, 3, 4, 40]])
def test_points_are_centred_in_place(kind: type, still: tuple[int, ...], starts: list[int]) -> None:
    points: Array = default_rng(0).normal(3.0, 2.0, (starts[-1], 7)).astype(kind)
    points[:, list(still)] = 0.7
    moved, squares = plainly(points, np.array(starts))
    found, norms = centred(points.copy(), np.array(starts))
    assert found.dtype == norms.dtype == kind
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, moved)
    np.testing.assert_allclose(norms, squares, rtol=4 * float(np.finfo(kind).eps))
