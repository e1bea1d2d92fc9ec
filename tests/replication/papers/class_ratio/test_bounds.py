from __future__ import annotations

from math import exp, lgamma, log

import numpy as np
import pytest

from replication.papers.class_ratio.theory import bounds as bounds
from unveil.errors import UnveilError
from unveil.mechanisms.dirichlet_draws import draw_dirichlet
from unveil.mechanisms.dirichlet_scale import dirichlet_scale
from unveil.types import Array


def random_problem(seed: int) -> tuple[bounds.LeastSquares, Array, Array]:
    """Columns shorter than one, as kernel means are; a test vector near their span; estimate, truth."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(30, 3))
    A /= 2 * np.linalg.norm(A, axis=0)
    truth = rng.dirichlet([1, 1, 1])
    a = A @ truth + 0.05 * rng.normal(size=30)
    estimate = np.linalg.lstsq(A, a, rcond=None)[0]
    return bounds.LeastSquares(A.T @ A, A.T @ a, float(a @ a)), estimate, truth


def test_confidence_by_hand() -> None:
    assert bounds.confidence(100, 2, 0.1) == pytest.approx(0.2 + np.sqrt(log(100.0) / 200))
    with pytest.raises(UnveilError, match="failure"):
        bounds.confidence(100, 2, 0.0)


def test_theorem1_grows_without_bound_as_sets_become_alike() -> None:
    problem, _, _ = random_problem(0)
    P = np.array([[0.9, 0.1, 0.0], [0.1, 0.9, 0.0], [0.0, 0.1, 0.9]])
    smallest = np.sqrt(np.linalg.eigvalsh(problem.gram)[0])
    Q = np.linalg.svd(P)[1][0] / smallest
    by_hand = np.sqrt(3 * float(bounds.confidence(500, 3, 0.05)) ** 2) / smallest * (1 + Q) + Q * float(
        bounds.confidence(700, 3, 0.05)
    )
    assert bounds.theorem1(problem, P, [500] * 3, 700, 0.05) == pytest.approx(by_hand)
    alike = bounds.LeastSquares(np.ones((3, 3)), np.ones(3), 1.0)
    assert bounds.theorem1(alike, P, [500] * 3, 700, 0.05) > 1e6


def test_lemma4_holds_at_its_rate() -> None:
    counts = np.array([[100, 200, 700], [300, 300, 400]])
    scales = [dirichlet_scale(row, 0.05, 0.05, "tight") for row in counts]
    P, sizes = counts / 1000, counts.sum(axis=1)
    rng = np.random.default_rng(0)
    drawn = draw_dirichlet(np.tile(np.array(scales)[:, None] * counts, (4000, 1, 1)), rng)
    distances = np.sqrt(((drawn - P) ** 2).sum(axis=(1, 2)))
    for failure in (0.05, 0.5, 0.9):
        assert (distances > bounds.lemma4(P, scales, sizes, failure)).mean() <= failure
    assert bounds.lemma4(P, scales, sizes, 0.5) == pytest.approx(
        6 / np.sqrt(0.5) * np.sqrt(max((P * (1 - P) / (np.array(scales) * 1000 + 1)[:, None]).max(axis=1)))
    )


def test_chebyshev_by_the_printed_formula() -> None:
    counts, scale, epsilon = np.array([60.0, 90.0]), 0.2, 0.3
    worst = 0.0
    for x, y in ((60.0, 90.0), (90.0, 60.0)):
        terms = lgamma(scale * x) - lgamma(scale * (x - 1)) + lgamma(scale * y) - lgamma(scale * (y + 1))
        kappa = exp((terms + epsilon) / scale)
        p, q = x / 150, y / 150
        variance = p * (1 - p) + kappa**2 * q * (1 - q) + 2 * kappa * p * q
        worst = max(worst, variance / ((scale * 150 + 1) * (p - kappa * q) ** 2))
    assert bounds.chebyshev_delta(counts, scale, epsilon) == pytest.approx(min(worst, 1.0))


def test_asymptotics_reach_the_chebyshev_bound() -> None:
    proportions, scale, epsilon = np.array([0.1, 0.3, 0.6]), 0.02, 0.05
    ratios = [
        bounds.asymptotic_delta(proportions, total, scale, epsilon)
        / bounds.chebyshev_delta(proportions * total, scale, epsilon)
        for total in (1e4, 1e6, 1e8)
    ]
    assert abs(ratios[-1] - 1) < 1e-4
    assert abs(ratios[0] - 1) > abs(ratios[1] - 1) > abs(ratios[2] - 1)
    deltas = [bounds.asymptotic_delta(proportions, 10.0**k, 10.0 ** (-k / 2), 10.0 ** (-k / 2)) for k in (4, 6, 8)]
    assert deltas[0] > deltas[1] > deltas[2]  # ε → 0 and δ → 0 together, with ε/σ fixed
