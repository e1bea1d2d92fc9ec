"""Regression from what an owner published: three calls, against the same by hand, and how often intervals cover."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose

from checks import assert_covered
from refusals import refused
from unveil.estimators.moments.classifier import MomentClassifier
from unveil.estimators.moments.product_releases import entry_deviation, estimate_products
from unveil.estimators.moments.regression import MomentRegression
from unveil.mechanisms.bits import entry_noise, keep_probability
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.numerics.products import number_of_products, products, residual_slopes, unfold
from unveil.protocols.base import Release
from unveil.types import Array, Floats

Data = tuple[Array, Array]


def records(n: int, d: int = 3, signed: bool = False, seed: int = 0, binary: bool = False) -> Data:
    rng = default_rng(seed)
    X = (np.round(rng.random((n, d))) if binary else rng.random((n, d))) * np.linspace(1, 0.6, d)
    y = X @ np.linspace(0.7, 0.1, d) / d + 0.3 * rng.random(n)
    return (2 * X - 1, 2 * y - 1) if signed else (X, y)


def r_squared(model: MomentRegression, X: Array, y: Array) -> float:
    return float(1 - np.sum((model.predict(X) - y) ** 2) / np.sum(y**2))


@pytest.mark.filterwarnings("ignore::unveil.errors.TooNoisy")
@pytest.mark.parametrize("alpha", [1.0, 3.0])
@pytest.mark.parametrize("signed", [False, True])
def test_three_calls_give_what_is_done_by_hand(alpha: float, signed: bool) -> None:
    """200,000 records of eight features: the noise's scale by hand, the bits debiased by hand, one solve."""
    X, y = records(200_000, 8, signed)
    model = MomentRegression().fit(CoordinateRelease(alpha).publish((X, y), default_rng(1), signed))
    veil = CoordinateRelease(alpha)
    moments = veil.debias_products(veil.release_products(X, y, default_rng(1), signed), signed)
    noise = (2 if signed else 1) / (2 * np.sqrt(200_000 / 56) * (2 * keep_probability(alpha / 3) - 1))
    by_hand = MomentRegression(noise=noise).fit_moments(*moments)
    assert_allclose(model.coef_, by_hand.coef_, rtol=1e-9)
    assert r_squared(model, X, y) == pytest.approx(r_squared(by_hand, X, y))
    assert r_squared(model, X, y) > (0.6 if not signed else -0.05)


@pytest.mark.parametrize("signed", [False, True])
def test_per_value_release_is_what_is_done_by_hand(signed: bool) -> None:
    X, y = records(20_000, 4, signed)
    d = number_of_products(4)
    veil = PerValueRelease(3.0 * d, d)
    model = MomentRegression("ridge").fit(veil.publish((X, y), default_rng(1), signed))
    statistics = products(X, y)
    shares = veil.debias(veil.release((statistics + 1) / 2 if signed else statistics, default_rng(1))).mean(axis=0)
    second, cross = unfold(2 * shares - 1 if signed else shares, 4)
    by_hand = MomentRegression("ridge", entry_noise(20_000, veil.keep, 2 if signed else 1)).fit_moments(second, cross)
    assert_allclose(model.coef_, by_hand.coef_, rtol=1e-9)


def test_batches_are_as_good_as_the_whole() -> None:
    X, y = records(10_000, 3)
    parts = [(X[a : a + 3000], y[a : a + 3000]) for a in range(0, 10_000, 3000)]
    for veil in (CoordinateRelease(4.0), PerValueRelease(9.0, 9)):
        release = veil.publish(parts, default_rng(0))
        assert release.records == 10_000
        gap = estimate_products(release).means - products(X, y).mean(axis=0)
        assert np.abs(gap).max() < 6 * entry_deviation(release)


@pytest.mark.parametrize("n", [4000, 12])
def test_spread_of_coordinate_release_is_the_sum_over_records(n: int) -> None:
    """With many records every product was released; with few some were not, and expected numbers divide."""
    X, y = records(n, 4)
    veil, d = CoordinateRelease(5.0), 4
    released = veil.release_products(X, y, default_rng(3))
    known = estimate_products(veil.publish((X, y), default_rng(3)))
    moments = veil.debias_products(released)
    order = np.triu_indices(d)
    assert_allclose(known.means, [*moments.second[order], *moments.cross], rtol=1e-9, atol=1e-12)
    place = {(int(i), int(j)): k for k, (i, j) in enumerate(zip(*order, strict=True))}
    seen: list[dict[int, float]] = []
    for first, second, bits in zip(*released[:3], strict=True):
        i, j = sorted((int(first), int(second)))
        q = keep_probability(5.0 if i == j else 5.0 / 3)
        value = [((int(bits) >> b & 1) - 1 + q) / (2 * q - 1) for b in range(3)]
        if i == j:
            seen.append({len(place) + i: value[0]})
        else:
            squares = {place[int(k), int(k)]: v for k, v in zip((first, second), value[1:], strict=True)}
            seen.append({place[i, j]: value[0], **squares})
    numbers = np.array([sum(k in own for own in seen) for k in range(number_of_products(d))])
    slopes = default_rng(5).normal(size=(2, len(numbers)))
    if (numbers > 0).all():
        moved = np.array(
            [sum(slopes[:, k] * (v - known.means[k]) / numbers[k] for k, v in own.items()) for own in seen]
        )
        expected = moved.T @ moved
    else:
        assert n == 12
        share = np.array([*(1 / d if i == j else 1 / (d * (d - 1)) for i, j in place), *[1 / (2 * d)] * d])
        moved = np.array([sum(slopes[:, k] * v / (n * share[k]) for k, v in own.items()) for own in seen])
        expected = moved.T @ moved - np.outer(moved.sum(axis=0), moved.sum(axis=0)) / n
    assert_allclose(known.spread(slopes), expected, rtol=1e-9)


def test_spread_of_per_value_release_is_the_variance_of_the_bits() -> None:
    X, y = records(5000, 2)
    veil = PerValueRelease(7.0, 5)
    rows = veil.debias(veil.release(products(X, y), default_rng(2)))
    known = estimate_products(veil.publish((X, y), default_rng(2)))
    slopes = default_rng(0).normal(size=(3, 5))
    assert_allclose(known.means, rows.mean(axis=0), rtol=1e-9)
    assert_allclose(known.spread(slopes), np.cov(rows @ slopes.T, rowvar=False, ddof=0) / 5000, rtol=1e-9)


def test_slopes_are_the_derivative_of_the_weights() -> None:
    X, y = records(500, 3)
    statistics = products(X, y).mean(axis=0)

    def weights(values: Floats) -> Floats:
        return np.asarray(np.linalg.solve(*unfold(values, 3)))

    slopes = residual_slopes(np.linalg.inv(unfold(statistics, 3)[0]), weights(statistics))
    step = 1e-6
    for k in range(len(statistics)):
        moved = step * (np.arange(len(statistics)) == k)
        expected = (weights(statistics + moved) - weights(statistics - moved)) / (2 * step)
        assert_allclose(slopes[:, k], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("veil", "intercept"),
    [(CoordinateRelease(20.0), False), (CoordinateRelease(60.0), True), (PerValueRelease(60.0, 20), True)],
)
def test_intervals_cover_the_weights_of_the_population(veil: Any, intercept: bool) -> None:
    """Records and noise drawn anew 400 times, none of the directions dropped: 95 % up to chance."""
    X, y = records(2_000_000, 2, seed=9, binary=True)
    design = np.column_stack([X, np.ones(len(X))]) if intercept else X
    truth = np.linalg.lstsq(design, y)[0]
    covered = np.zeros(len(truth))
    for seed in range(400):
        model = MomentRegression().fit(
            veil.publish(records(30_000, 2, seed=100 + seed, binary=True), default_rng(seed), intercept=intercept)
        )
        assert model.rank_ == len(truth)
        ends = model.intervals()
        covered += (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    assert_covered(covered, 400)


def test_an_intercept_is_fitted_in_the_units_of_the_data() -> None:
    """Products up to c = 4, so entries up to 2, and no noise but binarisation."""
    X = default_rng(0).random((400_000, 2)) * 2
    y = np.clip(0.3 * X[:, 0] + 0.1 * X[:, 1] + 0.5, 0, 2)
    model = MomentRegression().fit(
        PerValueRelease(np.inf, 20, upper=4.0).publish((X, y), default_rng(1), intercept=True)
    )
    assert_allclose([*model.coef_, model.intercept_], [0.3, 0.1, 0.5], atol=0.05)
    assert model.coef_.shape == (2,)
    assert model.predict(X[:3]).shape == (3,)


def test_a_release_says_what_it_promises() -> None:
    release = PerValueRelease(2.0, 9).publish(records(100), default_rng(0))
    assert (release.claimed_epsilon, release.exact_epsilon) == (2.0, 1.0)
    release = CoordinateRelease(2.0).publish(records(100), default_rng(0))
    assert (release.protocol, release.mechanism, release.records) == ("products", "CoordinateRelease", 100)
    assert (release.claimed_epsilon, release.exact_epsilon, release.randomness) == (2.0, 1.0, "seeded")


OTHER = Release(protocol="tags", mechanism="RegionCounts", parameters={}, arrays={}, records=1)
test_bad_input_is_refused = refused(
    (lambda: MomentRegression().fit(OTHER), "release must be of the protocol 'products' for MomentRegression"),
    (lambda: MomentClassifier().fit(OTHER), "release must be of the protocol 'moments' for MomentClassifier"),
    (lambda: CoordinateRelease(1.0).publish((np.full((2, 2), 1.5), np.ones(2)), default_rng(0)), "must lie in"),
    (lambda: CoordinateRelease(1.0).publish((np.ones((2, 2)), -np.ones(2)), default_rng(0)), "must lie in"),
    (lambda: PerValueRelease(1.0, 9).publish((np.ones((2, 3)), np.ones(3)), default_rng(0)), "one target per row"),
    (lambda: PerValueRelease(1.0, 3).publish(records(9), default_rng(0)), "delta_bar must be at least"),
    (lambda: PerValueRelease(1.0, 9).publish([], default_rng(0)), "at least one row"),
    (lambda: CoordinateRelease(1.0).publish([records(5), records(5, 4)], default_rng(0)), "as many columns"),
)
