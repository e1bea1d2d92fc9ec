from __future__ import annotations

import numpy as np
import pytest

from unveil.estimators.bags.mmd_gram import as_cloud, product_blocks, thin_out
from unveil.types import Array


def words(size: int, share: float, kind: type, columns: int = 500) -> Array:
    rng = np.random.default_rng(size)
    return np.asarray(np.where(rng.random((size, columns)) < share, rng.normal(size=(size, columns)), 0), dtype=kind)


@pytest.mark.parametrize("size", [0, 1, 50])
def test_dense_points_are_not_thin(size: int) -> None:
    assert thin_out(words(size, 0.2, np.float32)) is None


def test_one_coordinate_decides() -> None:
    points = np.zeros((10, 20))
    points[2, :10] = 1.0  # 5 % of all
    assert thin_out(points).nnz == 10
    points[-1, 3] = np.nan
    assert thin_out(points) is None


def test_blocks_of_thin_points_are_those_of_dense_ones() -> None:
    """1500 points are more than one block, and ranges start and end within blocks."""
    points = words(1500, 0.02, np.float32, 120)
    cloud = as_cloud([points[:400], points[400:]])
    assert cloud.thin is not None
    found = np.full((1500, 1500), np.nan, np.float32)
    for down, across, products in product_blocks(cloud, slice(100, 1400), slice(30, 1500)):
        found[down, across] = products
    np.testing.assert_allclose(found[100:1400, 30:], points[100:1400] @ points[30:].T, atol=1e-5)
    assert np.isnan(found[:100]).all()
