from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from refusals import refused
from unveil.estimators.bags.mmd_gram import (
    BANDWIDTHS,
    as_cloud,
    cross_products,
    mean_similarities,
    mixture_gram,
    mmd_gram,
    product_blocks,
    thin_out,
)
from unveil.types import Array


def direct(left: list[Array], right: list[Array], bandwidths: Array) -> Array:
    """Mean kernels from differences of coordinates, in double precision, one pair of sets at a time."""
    result = np.empty((len(bandwidths), len(left), len(right)))
    for i, x in enumerate(left):
        for j, y in enumerate(right):
            squares = cdist(x.astype(float), y.astype(float), "sqeuclidean")
            result[:, i, j] = [np.exp(-squares / (2 * s**2)).mean() for s in bandwidths]
    return result


def cloud(kind: str, size: int, rng: np.random.Generator) -> Array:
    """Points as the experiments have them: dense images, sparse text, few and clustered coordinates."""
    if kind == "images":
        return np.clip(rng.normal(0.3, 0.4, size=(size, 784)), 0, 1).astype(np.float32)
    if kind == "one-hot":  # many exact duplicates
        return np.eye(12, dtype=np.float32)[rng.integers(0, 12, size=size)]
    if kind == "text":  # a few words of many, one of them in every text, and a text without any
        words = np.where(rng.random((size, 400)) < 0.01, rng.random((size, 400)), 0.0)
        words[:, 7] = 1.0
        words[-1] = 0.0
        return words.astype(np.float32)
    if kind == "near-duplicates":
        return (rng.integers(0, 3, size=(size, 5)) * 3 + 1e-3 * rng.normal(size=(size, 5)) + 40).astype(np.float32)
    return rng.normal(size=(size, 3)).astype(np.float32)


@pytest.mark.parametrize("kind", ["images", "one-hot", "text", "near-duplicates", "low-dimensional"])
def test_single_precision_is_within_1e4_of_double_at_every_width_and_double_is_exact(kind: str) -> None:
    rng = np.random.default_rng(0)
    bags = [cloud(kind, n, rng) for n in (130, 300, 7)]
    queries = [cloud(kind, n, rng) for n in (65, 1)]
    gram, cross = mmd_gram(bags, BANDWIDTHS, queries)
    expected = direct(bags, bags + queries, np.array(BANDWIDTHS))
    np.testing.assert_allclose(gram, expected[:, :, :3], rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(cross, expected[:, :, 3:], rtol=1e-4, atol=1e-9)
    double, _ = mmd_gram([bag.astype(float) for bag in bags])
    np.testing.assert_allclose(double, expected[:, :, :3], rtol=1e-9, atol=1e-13)


@settings(max_examples=30)
@given(st.lists(st.floats(0.02, 50), min_size=1, max_size=5), st.booleans(), st.integers(0, 2**32 - 1))
def test_any_bandwidths_in_any_order(bandwidths: list[float], single: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kind = np.float32 if single else np.float64
    bags = [rng.normal(size=(n, 4)).astype(kind) for n in (5, 19, 33)]
    gram, cross = mmd_gram(bags, bandwidths, bags[:1])
    expected = direct(bags, bags, np.array(bandwidths))
    np.testing.assert_allclose(gram, expected, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(cross[:, :, 0], expected[:, :, 0], rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("constant", [1.0, 1e6])
def test_coordinates_that_never_change_say_nothing(constant: float, kind: type) -> None:
    """Also where there is no other: then all points are the same."""
    rng = np.random.default_rng(8)
    bags: list[Array] = [rng.normal(size=(n, 4)).astype(kind) for n in (30, 1)]
    padded = [np.insert(points, [0, 2], kind(constant), axis=1) for points in bags]
    for found, plain in zip(mmd_gram(padded, BANDWIDTHS, padded), mmd_gram(bags, BANDWIDTHS, bags), strict=True):
        np.testing.assert_array_equal(found, plain)
    gram, cross = mmd_gram([points[:, :1] for points in padded], BANDWIDTHS, [padded[0][:, :1]])
    assert (gram == 1.0).all()
    assert (cross == 1.0).all()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("ratio", [2.0**0.5, 2.0, 2.0**1.5, 4.0])
def test_widths_at_which_most_pairs_are_out_of_sight(ratio: float, kind: type) -> None:
    """However often values are squared on the way to the next width: near pairs count, and far ones are nothing."""
    rng = np.random.default_rng(9)
    bags: list[Array] = [
        (rng.integers(0, 12, size=(n, 1)) + 0.01 * rng.normal(size=(n, 1))).astype(kind) for n in (40, 9)
    ]
    widths = 4.0 / ratio ** np.arange(12)
    gram, _ = mmd_gram(bags, widths)
    np.testing.assert_allclose(gram, direct(bags, bags, widths), rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_small_sets_share_blocks_of_rows(kind: type) -> None:
    """Sets that fill a block together, one that fills it alone, and one that is larger, as if each were on its own."""
    rng = np.random.default_rng(13)
    bags: list[Array] = [rng.normal(size=(n, 3)).astype(kind) for n in (1, 500, 523, 1, 1024, 7, 1030, 16)]
    points: Array = rng.normal(size=(9, 3)).astype(kind)
    widths = np.array([0.5, 1.0])
    expected = direct(bags, [*bags, *points[:, None]], widths)
    gram, cross = mmd_gram(bags, widths, list(points[:, None]))
    np.testing.assert_allclose(
        np.dstack([gram, cross]), expected, rtol=1e-4 if kind == np.float32 else 1e-10, atol=1e-9
    )
    np.testing.assert_array_equal(gram, gram.swapaxes(1, 2))
    np.testing.assert_allclose(mean_similarities(bags, points, widths), cross, rtol=1e-4, atol=1e-9)


@pytest.mark.slow
def test_nothing_of_the_size_of_all_pairs_is_kept() -> None:
    rng = np.random.default_rng(5)
    bags = [rng.random((2000, 200), dtype=np.float32) for _ in range(4)]
    mmd_gram([bag[:20] for bag in bags])  # compile first
    tracemalloc.start()
    mmd_gram(bags)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    points = sum(bag.nbytes for bag in bags)
    assert peak < 3 * points + 16 * 2**20  # a copy of the points, one block, and sums: all pairs would take 256 MB


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_products_with_many_queries_of_all_sizes(kind: type) -> None:
    """More queries than a block has rows, some larger than it, against the same products one pair at a time."""
    rng = np.random.default_rng(5)
    bags: list[Array] = [rng.normal(size=(n, 3)).astype(kind) for n in (1, 20, 1300)]
    tests: list[Array] = [rng.normal(size=(n, 3)).astype(kind) for n in (1, 600, 600, 1, 2100, 5, 1024, 3)]
    widths = np.array([0.5, 1.0, 3.0])
    found = cross_products(bags, tests, widths)
    kernel = np.array([[cdist(bag, test, "sqeuclidean") for test in tests] for bag in bags], dtype=object)
    for w, width in enumerate(widths):
        plain = [[np.exp(-squares / (2 * width**2)).mean() for squares in row] for row in kernel]
        np.testing.assert_allclose(found[w], plain, rtol=1e-5 if kind is np.float32 else 1e-9)
    assert cross_products(bags, [], widths).shape == (3, 3, 0)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("sizes", [[1], [1, 25, 3] * 60, [1500, 40]])
@pytest.mark.parametrize("queries", [[], [1, 70]])
def test_mixtures_of_points_go_with_the_sets(kind: type, sizes: list[int], queries: list[int]) -> None:
    rng, widths = np.random.default_rng(0), np.array([0.5, 4.0, 2.0])
    bags: list[Array] = [rng.normal(size=(n, 6)).astype(kind) for n in sizes]
    asked: list[Array] = [rng.normal(size=(n, 6)).astype(kind) for n in queries]
    points: Array = rng.normal(size=(300, 6)).astype(kind)
    weights = rng.dirichlet(np.ones(300), 4).T
    gram, cross, mixed = mixture_gram(bags, asked, points, weights, widths)
    tolerance = 1e-4 if kind == np.float32 else 1e-9
    for found, plain in zip((gram, cross), mmd_gram(bags, widths, asked), strict=True):
        np.testing.assert_allclose(found, plain, rtol=tolerance, atol=1e-9)
    np.testing.assert_allclose(mixed, mean_similarities(bags, points, widths) @ weights, rtol=tolerance, atol=1e-9)


def test_one_coordinate_decides_whether_points_are_thin() -> None:
    points = np.zeros((10, 20))
    points[2, :10] = 1.0  # 5 % of all
    assert thin_out(points).nnz == 10
    points[-1, 3] = np.nan
    assert thin_out(points) is None
    assert thin_out(points[:0]) is None


def test_sparse_points_take_no_more_than_what_they_hold() -> None:
    """Twenty points a set, of three coordinates each among a million: as dense ones 305 MiB."""
    rng = np.random.default_rng(4)
    places = [(np.repeat(np.arange(20), 3), rng.integers(0, 10**6, 60)) for _ in range(2)]
    bags: list[Any] = [csr_array((np.ones(60), where), shape=(20, 10**6)) for where in places]
    tracemalloc.start()
    try:
        mmd_gram(bags, [1.0])
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


def test_blocks_of_thin_points_are_those_of_dense_ones() -> None:
    """1500 points are more than one block, and ranges start and end within blocks."""
    points = cloud("text", 1500, np.random.default_rng(0))
    thin = as_cloud([points[:400], points[400:]])
    assert thin.thin is not None
    found = np.full((1500, 1500), np.nan, np.float32)
    for down, across, products in product_blocks(thin, slice(100, 1400), slice(30, 1500)):
        found[down, across] = products
    np.testing.assert_allclose(found[100:1400, 30:], points[100:1400] @ points[30:].T, atol=1e-5)
    assert np.isnan(found[:100]).all()


test_bad_input = refused(
    ([], [1.0], "bags must not be empty"),
    ([np.zeros((0, 2))], [1.0], r"bags\[0\] must hold at least one point"),
    ([np.zeros((3, 2)), np.zeros((3, 3))], [1.0], r"bags\[1\] must have as many features"),
    ([np.zeros(3)], [1.0], r"bags\[0\] must be a matrix"),
    ([np.full((3, 2), np.nan)], [1.0], r"bags\[0\] must be finite"),
    ([np.zeros((3, 2))], [], "bandwidths must be a vector"),
    ([np.zeros((3, 2))], [0.0], "bandwidths must be positive"),
    ([np.zeros((3, 2))], [np.nan], "bandwidths must be positive"),
    ([np.zeros((3, 2))], [1.0], [np.zeros((3, 3))], r"queries\[0\] must have as many features"),
    call=mmd_gram,
)
