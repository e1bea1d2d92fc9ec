from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.spatial.distance import cdist, pdist

from refusals import refused
from unveil.errors import UnveilError
from unveil.estimators.bags.mixtures import class_ratios, mixture_weights
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, mmd_gram
from unveil.estimators.bags.solving import sets_of
from unveil.mechanisms.exact_sums import GeometricCounts
from unveil.numerics.simplex import project_to_simplex
from unveil.types import Array

pytestmark = pytest.mark.filterwarnings("ignore:the chosen bandwidth")

MEANS = np.array([[0.0, 0.0], [2.5, 0.0], [0.0, 2.5]])
P = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])


def bag(shares: Any, size: int, rng: np.random.Generator) -> Array:
    counts = np.round(np.asarray(shares) * size).astype(int)
    return np.repeat(MEANS, counts, axis=0) + rng.normal(size=(counts.sum(), 2))


def sets(size: int, seed: int) -> tuple[list[Array], tuple[list[Array], Array], np.random.Generator]:
    rng = np.random.default_rng(seed)
    return [bag(p, size, rng) for p in P], ([bag(p, size, rng) for p in P], P), rng


def independently(bags: list[Array], X: Array, bandwidth: float) -> Array:
    """α̂ through an explicit feature map, a root of the dense kernel, and least squares on its columns."""
    points = np.concatenate([*bags, X])
    kernel = np.exp(-cdist(points, points, "sqeuclidean") / (2 * bandwidth**2))
    values, vectors = np.linalg.eigh(kernel)
    features = vectors * np.sqrt(np.maximum(values, 0))
    edges = np.cumsum([0, *map(len, bags), len(X)])
    means = np.array([features[a:b].mean(axis=0) for a, b in pairwise(edges)])
    return np.asarray(np.linalg.lstsq(means[:-1].T, means[-1], rcond=None)[0])


@pytest.mark.parametrize("bandwidth", BANDWIDTHS[::5])
def test_weights_against_an_explicit_feature_map(bandwidth: float) -> None:
    bags, _, rng = sets(40, 0)
    X = bag([0.2, 0.3, 0.5], 50, rng)
    model = MMDClassRatio([bandwidth]).fit(bags, P)
    np.testing.assert_allclose(model.mixture(X), independently(bags, X, bandwidth), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(model.predict(X), project_to_simplex(independently(bags, X, bandwidth) @ P), atol=1e-8)
    single = MMDClassRatio([bandwidth]).fit([b.astype(np.float32) for b in bags], P)
    np.testing.assert_allclose(single.predict(X.astype(np.float32)), model.predict(X), atol=1e-4)


def test_estimates_leave_the_hull_of_the_training_sets() -> None:
    """No training set is purer than 0.8, yet a pure test set is recognised: α is not kept on the simplex."""
    bags, validation, rng = sets(600, 2)
    model = MMDClassRatio().fit(bags, P, validation)
    X = bag([1.0, 0.0, 0.0], 600, rng)
    alpha = model.mixture(X)
    assert alpha.min() < -0.05
    assert alpha[0] > 1.1
    assert model.predict(X)[0] > 0.93
    hull = project_to_simplex(alpha) @ P
    assert hull.max() <= 0.8


def test_the_bandwidth_is_the_best_on_the_validation_sets() -> None:
    bags, validation, _ = sets(150, 4)
    model = MMDClassRatio().fit(bags, P, validation)
    errors = []
    for s in BANDWIDTHS:
        single = MMDClassRatio([s]).fit(bags, P)
        errors.append(np.mean([np.abs(single.predict(v) - p).sum() for v, p in zip(validation[0], P, strict=True)]))
    assert model.validation_errors_ is not None
    np.testing.assert_allclose(model.validation_errors_, errors, atol=1e-9)
    assert model.bandwidth_ == BANDWIDTHS[int(np.argmin(errors))]


@pytest.mark.parametrize("unit", [0.1, 1.0, 4.0])
def test_without_validation_sets_the_bandwidth_is_nearest_to_the_median_distance(unit: float) -> None:
    bags = [unit * points for points in sets(40, 6)[0]]
    median = np.median(pdist(np.concatenate(bags)))
    assert MMDClassRatio().fit(bags, P).bandwidth_ == min(BANDWIDTHS, key=lambda s: abs(np.log(s / median)))


def test_random_features_come_near_the_kernel() -> None:
    bags, validation, rng = sets(300, 5)
    X = bag([0.1, 0.2, 0.7], 300, rng)
    exact = MMDClassRatio([1.0]).fit(bags, P, validation)
    rough = MMDClassRatio([1.0], random_features=4000, random_state=np.random.default_rng(0)).fit(bags, P, validation)
    # Each inner product is off by at most 1/√(2D) in standard deviation; six of these never happen.
    assert np.abs(rough.gram_ - exact.gram_).max() < 6 / np.sqrt(8000)
    assert np.abs(rough.predict(X) - exact.predict(X)).sum() < 0.1
    with pytest.raises(UnveilError, match="random_state"):
        MMDClassRatio(random_features=10).fit(bags, P)


def test_weights_of_a_singular_gram_are_the_shortest() -> None:
    gram, cross = np.ones((1, 2, 2)), np.full((1, 2, 1), 0.5)
    np.testing.assert_allclose(mixture_weights(gram, cross)[0, 0], [0.25, 0.25])
    np.testing.assert_allclose(
        class_ratios(np.array([2.0, -1.0]), np.array([[0.7, 0.3], [0.4, 0.6]])), [1.0, 0.0], atol=1e-12
    )


@pytest.mark.filterwarnings("ignore:Ĝ is badly conditioned")
@pytest.mark.parametrize("diagonal", ["printed", "unbiased"])
@pytest.mark.parametrize("bags", [3, 4, 40])
def test_predictions_are_those_of_least_squares_at_each_call(diagonal: str, bags: int) -> None:
    """Equal bags among them: Ĝ is singular, and the unbiased one indefinite; many test sets of all sizes."""
    rng = np.random.default_rng(bags)
    shares = P[np.arange(bags) % 3]
    known = [bag(p, 30, rng) for p in shares]
    known[-1] = known[(bags - 1) % 3]
    model = MMDClassRatio([1.5], diagonal=diagonal).fit(known, shares)
    asked = [bag(rng.dirichlet(np.ones(3)), size, rng) for size in (6, 8, 60, 1500, 7)]
    gram, cross = mmd_gram(known, [1.5], asked)
    plain = sets_of(model.proportions_, np.full(bags, 30)).weights(gram, cross, diagonal)[0]
    np.testing.assert_allclose(model.mixture(asked), plain, atol=1e-9 * np.abs(plain).max())


GOOD = [np.zeros((3, 2)), np.ones((4, 2)), np.full((2, 2), 2.0)]


test_bad_input = refused(
    (GOOD[:1], P[:1], "at least two"),
    (GOOD, P, (GOOD[:2], P), "validation proportions must have one row"),
    (GOOD, [[0.5, 0.3, 0.2]] * 3, r"affine hull \(A0\): 3 classes need rank 3, not 1"),
    (GOOD, np.where(P == 0.8, np.nan, P), "finite"),
    ([GOOD[0], np.zeros((0, 2)), GOOD[2]], P, r"bags\[1\] must hold at least one point"),
    call=MMDClassRatio().fit,
)


def test_of_a_release_directions_that_rest_on_last_digits_are_left_out() -> None:
    """Sets of nearly the same points: their matrix is singular but for rounding, and weights of it would be any."""
    rng = default_rng(0)
    points = rng.normal(np.repeat([0.0, 4.0], 60)[:, None], 1.0, (120, 9))
    bags = [points + 1e-4 * rng.normal(size=points.shape) for _ in range(4)] + [points[:100]]
    others = rng.normal(2.0, 2.0, (50, 9))
    counts = np.array([[60, 60], [60, 60], [60, 60], [60, 60], [60, 40]])
    release = GeometricCounts(5.0, testing=True).publish(counts, default_rng(1))
    with pytest.warns(UserWarning, match="left out"):
        model = MMDClassRatio([4.0]).fit(release, bags)
    assert np.abs(model.mixture(points)).max() < 10
    with pytest.warns(UserWarning, match="badly conditioned"):
        plain = MMDClassRatio([4.0]).fit(bags, release.arrays["proportions"])
    assert np.abs(plain.mixture(others)).max() > 10 * np.abs(model.mixture(others)).max()
