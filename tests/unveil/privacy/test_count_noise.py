from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.stats import norm

from unveil.privacy import count_noise


@pytest.mark.parametrize(("deviation", "epsilon"), [(11.2, 0.05), (3.0, 0.5), (0.7, 2.0)])
def test_gaussian_delta_against_integration(deviation: float, epsilon: float) -> None:
    shift = np.sqrt(2.0) / deviation  # along the line between the two count vectors
    x, step = np.linspace(-14, 14, 400_001, retstep=True)
    expected = np.maximum(norm.pdf(x) - np.exp(epsilon) * norm.pdf(x + shift), 0.0).sum() * step
    assert count_noise.gaussian_count_delta(deviation, epsilon) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("epsilon", [1e-3, 0.05, 1.0, 20.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-5, 0.05, 0.5])
def test_analytic_deviation_is_the_smallest(epsilon: float, delta: float) -> None:
    deviation = count_noise.gaussian_count_deviation(epsilon, delta)
    assert count_noise.gaussian_count_delta(deviation, epsilon) <= delta
    assert count_noise.gaussian_count_delta(deviation * (1 - 1e-6), epsilon) > delta


def enumerated(counts: tuple[int, ...], other: tuple[int, ...], size: int, epsilon: float) -> float:
    total = 0.0
    for sample in product(range(size + 1), repeat=len(counts)):
        if sum(sample) == size:
            p = np.prod([comb(n, k) for n, k in zip(counts, sample, strict=True)]) / comb(sum(counts), size)
            q = np.prod([comb(n, k) for n, k in zip(other, sample, strict=True)]) / comb(sum(counts), size)
            total += max(float(p - np.exp(epsilon) * q), 0.0)
    return total


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.4])
def test_subsample_delta_against_enumeration(epsilon: float) -> None:
    counts, size = (3, 1, 6), 4
    worst = 0.0
    for i, j in product(range(3), repeat=2):
        if i != j and counts[i]:
            other = tuple(n - (k == i) + (k == j) for k, n in enumerate(counts))
            worst = max(worst, enumerated(counts, other, size, epsilon), enumerated(other, counts, size, epsilon))
    assert count_noise.subsample_delta(counts, size, epsilon) == pytest.approx(worst, abs=1e-12)
