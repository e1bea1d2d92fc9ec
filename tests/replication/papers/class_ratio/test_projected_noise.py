"""Laplace noise on two counts, made consistent: the closed form against integration, and its rivals inside."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import laplace

from refusals import refused
from replication.papers.class_ratio.projected_noise import consistent_laplace_epsilon
from unveil.mechanisms.counts import LaplaceCounts


def difference_tail(t: float, scale: float) -> float:
    """P[x₁ − x₂ ≥ t] by integration over x₂."""
    law = laplace(scale=scale)
    value, _ = quad(
        lambda x: law.pdf(x) * law.sf(t + x), -60 * scale, 60 * scale, points=[-t, 0.0], limit=400, epsrel=1e-12
    )
    return float(value)


def log_density(z: float, middle: float, scale: float) -> float:
    """Of z = middle + (x₁ − x₂)/2, up to a constant."""
    distance = 2 * abs(z - middle)
    return float(np.log1p(distance / scale) - distance / scale)


@settings(max_examples=25)
@given(st.integers(1, 12), st.integers(0, 12), st.floats(0.5, 10))
def test_the_worst_outcome_is_a_set_that_is_all_one_class(losing: int, gaining: int, scale: float) -> None:
    m = losing + gaining
    level = consistent_laplace_epsilon(losing, gaining, scale)
    full = np.log(difference_tail(2 * gaining, scale) / difference_tail(2 * gaining + 2, scale))
    empty = np.log(difference_tail(2 * losing - 2, scale) / difference_tail(2 * losing, scale))
    assert level == pytest.approx(max(full, empty), rel=1e-6)
    inside = [abs(log_density(z, losing, scale) - log_density(z, losing - 1, scale)) for z in np.linspace(0, m, 201)]
    assert max(inside) <= level + 1e-12
    assert level < 2 / scale


def test_released_frequencies_of_the_worst_outcome() -> None:
    counts, n = [3.0, 2.0], 200_000
    full = [
        int((LaplaceCounts(1.0).release(np.tile(here, (n, 1)), np.random.default_rng(1))[:, 0] == 1).sum())
        for here in (counts, [2.0, 3.0])
    ]
    chances = [difference_tail(2 * gaining, 2.0) for gaining in (2, 3)]
    for seen, chance in zip(full, chances, strict=True):
        assert abs(seen - n * chance) < 4.9 * np.sqrt(n * chance * (1 - chance))


test_bad_input = refused(
    ((0, 1, 1.0), "losing"),
    ((1, -1, 1.0), "gaining"),
    ((1, 1, 0.0), "scale"),
    call=lambda arguments: consistent_laplace_epsilon(*arguments),
)
