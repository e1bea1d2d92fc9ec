"""Exact products: their law against enumeration, their level against the law, and what a learner gets from them."""

from __future__ import annotations

from itertools import product
from math import exp, log
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.stats import chisquare

from unveil.errors import SimulationOnly, UnveilError
from unveil.estimators.moments.regression import MomentRegression
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.exact_products import ExactProducts
from unveil.mechanisms.exact_sampling import uniform_below
from unveil.protocols.base import Release


def chances(share: float, level: float) -> tuple[float, float]:
    """Of a zero and of a one, for a product and the level of its bit."""
    keep = exp(level) / (1 + exp(level))
    one = keep * share + (1 - keep) * (1 - share)
    return 1 - one, one


def law(x: tuple[float, ...], y: float, epsilon: float) -> dict[tuple[int, ...], float]:
    """Every outcome of one record: (i, bit), or (i, j, three bits) with i < j."""
    d = len(x)
    found: dict[tuple[int, ...], float] = {}
    found |= {(i, bit): chances(x[i] * y, epsilon)[bit] / (2 * d) for i in range(d) for bit in range(2)}
    for i in range(d):
        for j in range(i + 1, d):
            shares = x[i] * x[j], x[i] ** 2, x[j] ** 2
            for bits in product(range(2), repeat=3):
                chance = np.prod([chances(s, epsilon / 3)[bit] for s, bit in zip(shares, bits, strict=True)])
                found[i, j, *bits] = float(chance) / (d * (d - 1))
    return found


def tallies(release: Release) -> dict[tuple[int, ...], int]:
    d = int(release.parameters["dimension"])
    found: dict[tuple[int, ...], int] = {}
    found |= {(i, bit): int(release.arrays["targets"][i, bit]) for i in range(d) for bit in range(2)}
    pairs = [(i, j) for i in range(d) for j in range(i + 1, d)]
    for place, (i, j) in enumerate(pairs):
        for bits in product(range(2), repeat=3):
            cell = bits[0] | bits[1] << 1 | bits[2] << 2
            found[i, j, *bits] = int(release.arrays["pairs"][place, cell])
    return found


@pytest.mark.slow
def test_the_law_is_the_enumerated_one() -> None:
    x, y, n = (0.25, 1.0, 0.6), 0.5, 400_000
    release = ExactProducts(1.5, testing=True).publish((np.tile(x, (n, 1)), np.full(n, y)), default_rng(3))
    expected, seen = law(x, y, 1.5), tallies(release)
    assert sum(expected.values()) == pytest.approx(1)
    assert chisquare([seen[key] for key in expected], [n * p for p in expected.values()]).pvalue > 1e-6


def test_the_level_is_that_of_the_law() -> None:
    veil = ExactProducts(1.5)
    corners = [law((*x,), y, 1.5) for x in product((0.0, 1.0), repeat=2) for y in (0.0, 1.0)]
    worst = max(log(one[key] / other[key]) for one in corners for other in corners for key in one)
    assert veil.tight_epsilon() <= 1.5
    assert veil.tight_epsilon() == pytest.approx(worst, rel=1e-8)


def test_a_learner_takes_it_like_the_floating_one() -> None:
    rng = default_rng(0)
    X = rng.random((1_600_000, 2))
    y = X @ [0.6, 0.2] + 0.1
    exact = ExactProducts(6.0, testing=True).publish((X, y), default_rng(1), intercept=True)
    floating = CoordinateRelease(12.0).publish((X, y), default_rng(2), intercept=True)
    errors = []
    for release in (exact, floating):
        model = MomentRegression().fit(release)
        assert model.covariance_ is not None
        errors.append(np.sqrt(np.diagonal(model.covariance_)))
        assert np.all(np.abs(np.append(model.coef_, model.intercept_) - [0.6, 0.2, 0.1]) < 5 * errors[-1])
    assert np.allclose(errors[0], errors[1], rtol=0.1)
    assert exact.parameters["noise_of_one"] == pytest.approx(floating.parameters["noise_of_one"])


def test_mistakes() -> None:
    data = np.ones((4, 2)), np.ones(4)
    with pytest.raises(SimulationOnly):
        ExactProducts(1.0).publish(data, default_rng(0))
    with pytest.raises(UnveilError, match="lie in"):
        ExactProducts(1.0).publish((data[0] * 2, data[1]))
    with pytest.raises(UnveilError, match="two"):
        ExactProducts(1.0).publish((data[0][:, :1], data[1]))
    with pytest.raises(UnveilError, match="epsilon"):
        ExactProducts(30.0)


def test_uniform_whole_numbers() -> None:
    for n in (1, 2, 3, 7, 60_000):
        seen = np.bincount(uniform_below(n, 60_000, default_rng(n)), minlength=n)
        assert len(seen) == n
        assert n == 1 or n == 60_000 or chisquare(seen).pvalue > 1e-6

    # Of the numbers of two bits the last is drawn anew.
    words = iter([b"\0\0\0\0\0\0\0\xc0", b"\0\0\0\0\0\0\0\x80"])
    source = SimpleNamespace(bytes=lambda _: next(words))
    assert uniform_below(3, 1, source).tolist() == [2]
