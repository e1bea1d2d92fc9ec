"""Many risks at once are many risks one by one; λ chosen from a release is the one that would have been best."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from checks import assert_mean
from unveil.errors import UnveilError
from unveil.estimators.statistics.losses import (
    LINEAR,
    LOGISTIC,
    MATSUSHITA,
    MODIFIED_HUBER,
    SQUARE,
    LinearOddLoss,
    absolute_loss,
)
from unveil.estimators.statistics.risk import Design, StatisticRisk, minimise_statistic
from unveil.estimators.statistics.tuning import Noise, minimise_together, public_l2, risks_without_noise
from unveil.types import Floats

L2S = [1e-4, 1e-3, 1e-2, 1e-1, 1.0]


def task(m: int = 400, d: int = 4, seed: int = 0) -> tuple[Design, Floats]:
    """Unit records, the last column a copy of the first, and their mean operator."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, d)) * np.geomspace(1, 0.2, d)
    X = np.column_stack([X, X[:, 0]])
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(X[:, 0] - 0.5 * X[:, 1] + 0.4 * rng.standard_normal(m) > 0, 1, -1)
    return Design(X), y @ X / m


@pytest.mark.parametrize("loss", [LOGISTIC, SQUARE, MATSUSHITA, MODIFIED_HUBER, LINEAR], ids=lambda loss: loss.name)
def test_together_or_one_by_one_the_minimisers_are_the_same(loss: LinearOddLoss) -> None:
    """Statistics inside the features' span, where no solver can differ; outside it, theirs is the projection."""
    design, mu = task()
    noise = np.random.default_rng(1).normal(0, 0.05, (3, len(mu)))
    axes = design.principal[1]
    statistics = np.vstack([mu, mu + noise @ axes @ axes.T])
    l2s = np.array([1.0, 0.1, 0.01, 0.001])
    found = minimise_together(design, loss, statistics, l2s, tolerance=1e-10)
    for theta, statistic, l2 in zip(found, statistics, l2s, strict=True):
        assert_allclose(theta, minimise_statistic(design, loss, statistic, l2, 1e-11).theta, rtol=1e-5, atol=1e-7)


def test_what_no_labels_could_have_said_is_left_out() -> None:
    design, mu = task()
    outside = np.zeros(len(mu))
    outside[[0, -1]] = 0.3, -0.3  # the two copies disagree
    one, other = minimise_together(design, LOGISTIC, np.stack([mu, mu + outside]), np.full(2, 0.01), tolerance=1e-10)
    assert_allclose(one, other, atol=1e-8)


def test_the_public_rule_means_the_same_for_every_loss() -> None:
    """Around zero all losses are squares: with λ by the rule their separators point the same way."""
    noise = Noise(1e-4, 0.5)
    assert public_l2(SQUARE, noise, 100) == pytest.approx(0.01 + 1.5 / 100)
    assert public_l2(LOGISTIC, noise, 100) == pytest.approx(public_l2(SQUARE, noise, 100) / 8)
    assert public_l2(SQUARE, Noise(1e-2, 0.0), 100) > public_l2(SQUARE, noise, 100)


def exact_square_risk(design: Design, mu: Floats, l2: float, noise: Noise) -> float:
    """E of 1 + θᵀCθ − 2⟨θ, μ⟩ for θ = (C + λ)⁻¹(μ + b), by algebra, with C and Cov b diagonal in the principal axes."""
    values, axes = design.principal
    m, inside = len(design.features), mu @ axes
    covariance = noise.own + (1 + noise.labels) * values / m
    second = (inside**2 + covariance) / (values + l2) ** 2
    return float(1 + np.sum(values * second - 2 * inside**2 / (values + l2)))


def test_the_bootstrap_finds_the_risk_that_algebra_gives() -> None:
    """For squares the expectation is known; the truth that is imitated is the public rule's own."""
    design, mu = task()
    noise, l2 = Noise(4e-4, 0.3), 0.01
    ridge = public_l2(SQUARE, noise, len(design.features))
    implied = mu - ridge * minimise_together(design, SQUARE, mu[None], np.array([ridge]))[0]
    draws = [
        risks_without_noise(design, SQUARE, mu[None], [noise], [l2], np.random.default_rng(seed), draws=20).item()
        for seed in range(400)
    ]
    assert_mean(np.array(draws), exact_square_risk(design, implied, l2, noise))


@pytest.mark.parametrize("loss", [LOGISTIC, SQUARE], ids=lambda loss: loss.name)
@pytest.mark.parametrize("own", [1e-6, 1e-2])
def test_the_chosen_penalty_is_near_the_best(loss: LinearOddLoss, own: float) -> None:
    """Risk at the truth, mean over releases: the choice costs a few per cent of what the worst λ costs."""
    design, mu = task(2000)
    rng, noise = np.random.default_rng(3), Noise(own, 0.0)
    statistics = mu + np.sqrt(own) * rng.standard_normal((40, len(mu)))
    risks = np.stack([
        [
            StatisticRisk(design, mu, loss, 0.0).at(theta).value
            for theta in minimise_together(design, loss, statistics, np.full(len(statistics), l2))
        ]
        for l2 in L2S
    ], axis=1)  # fmt: skip
    chosen = risks_without_noise(design, loss, statistics, [noise] * len(statistics), L2S, rng).argmin(axis=1)
    picked = risks[np.arange(len(risks)), chosen].mean()
    assert picked - risks.mean(axis=0).min() < 0.1 * (risks.mean(axis=0).max() - risks.mean(axis=0).min())


def test_far_smaller_penalties_than_the_noise_asks_for_are_not_tried() -> None:
    design, mu = task()
    risks = risks_without_noise(design, LOGISTIC, mu[None], [Noise(1.0, 0.0)], L2S, np.random.default_rng(0))
    assert np.isinf(risks[0, :2]).all()
    assert np.isfinite(risks[0, 3:]).all()


def test_kinks_and_penalties_of_zero_are_refused() -> None:
    design, mu = task()
    with pytest.raises(UnveilError, match="kink"):
        minimise_together(design, absolute_loss(), mu[None], np.ones(1))
    with pytest.raises(UnveilError, match="l2s must be positive"):
        minimise_together(design, LOGISTIC, mu[None], np.zeros(1))


@pytest.mark.parametrize("loss", [LOGISTIC, SQUARE, MATSUSHITA], ids=lambda loss: loss.name)
@pytest.mark.parametrize("m", [1, 400])
def test_single_precision_chooses_as_double_precision_does(loss: LinearOddLoss, m: int) -> None:
    """The bootstrap's fits, all of them without it: the same risks to rounding."""
    design, mu = task(m)
    noises = [Noise(1e-6, 0.0), Noise(1e-3, 0.5)]
    statistics = np.stack([mu, mu + 0.01])
    found = risks_without_noise(design, loss, statistics, noises, L2S, np.random.default_rng(0), tolerance=1e-5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(design.__dict__, "single", design.rotated)
        plain = risks_without_noise(design, loss, statistics, noises, L2S, np.random.default_rng(0), tolerance=1e-5)
    assert_allclose(found, plain, rtol=2e-5, atol=2e-6)
    assert (found.argmin(axis=1) == plain.argmin(axis=1)).all()


def test_the_tolerance_holds_in_double_precision() -> None:
    """Also where single precision could not tell such gradients from rounding; no statistic at all is no error."""
    design, mu = task()
    l2s = np.array([1e-5, 1e-3, 1.0])
    for tolerance in (1e-4, 1e-6, 1e-9):
        found = minimise_together(design, LOGISTIC, np.tile(mu, (3, 1)), l2s, tolerance)
        for l2, theta in zip(l2s, found, strict=True):
            assert StatisticRisk(design, mu, LOGISTIC, l2).at(theta).norm <= 3 * tolerance
    assert minimise_together(design, LOGISTIC, np.empty((0, len(mu))), np.empty(0)).shape == (0, len(mu))
