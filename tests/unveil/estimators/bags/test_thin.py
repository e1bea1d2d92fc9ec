from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from unveil.estimators.bags.mmd_gram import as_cloud, product_blocks
from unveil.estimators.bags.thin import thin_products, thinned
from unveil.types import Array


def words(size: int, share: float, kind: type, columns: int = 500) -> Array:
    rng = np.random.default_rng(size)
    return np.asarray(np.where(rng.random((size, columns)) < share, rng.normal(size=(size, columns)), 0), dtype=kind)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.04])
@pytest.mark.parametrize("size", [1, 2, 70])
def test_thin_points_are_the_same_points(size: int, share: float, kind: type) -> None:
    points = words(size, share, kind)
    found = thinned(points)
    assert found.dtype == kind
    np.testing.assert_array_equal(found.toarray(), points)
    np.testing.assert_array_equal(found.indices, csr_array(points).indices)
    other = words(9, share, kind)
    products = thin_products(found, thinned(other).T.tocsr(), np.full((size, 9), np.nan, kind))
    np.testing.assert_allclose(products, points @ other.T, atol=1e-5 if kind is np.float32 else 1e-13)


@pytest.mark.parametrize("size", [0, 1, 50])
def test_dense_points_are_not_thin(size: int) -> None:
    assert thinned(words(size, 0.2, np.float32)) is None


@pytest.mark.parametrize("last", [False, True])
def test_one_coordinate_decides_wherever_it_stands(last: bool) -> None:
    points = np.zeros((10, 20))
    points[2, :10] = 1.0  # 5 % of all
    assert thinned(points).nnz == 10
    points[-1 if last else 0, 3] = np.nan
    assert thinned(points) is None


def test_a_view_is_thinned_as_it_is_seen() -> None:
    points = words(40, 0.02, np.float32)[::2, ::-1]
    np.testing.assert_array_equal(thinned(points).toarray(), points)


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
