"""E-steps against the exact gradient: enumeration for flips, quadrature for Gaussian noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng
from scipy.special import expit

from checks import assert_mean
from replication.papers.spread.consistency.enumeration import factorised_inputs, given_inputs, joint_noise, patterns
from unveil.errors import UnveilError
from unveil.estimators.spread import steps
from unveil.estimators.spread.input_posterior import FlipRates, flip_moments, gaussian_moments
from unveil.estimators.spread.labels import SampledLabels, SummedLabels
from unveil.estimators.spread.likelihood import Model, SpreadLikelihood
from unveil.estimators.spread.noise_parameters import debias_mean, label_matrix
from unveil.estimators.spread.priors import expect_counts, flat_prior, pixel_marginals, state_counts, update_prior
from unveil.types import Array, Floats

INPUTS, FLIP, LABEL_FLIP = 4, 0.2, (0.1, 0.3)
MATRIX = label_matrix(LABEL_FLIP)
RATES = FlipRates(FLIP, 2)
THETA = np.array([1.0, -2.0, 0.5, 1.5])


def _every_observation() -> tuple[Array, Array, Floats]:
    """All noisy (x, c), an unequal number of each, and the marginals of a prior."""
    rng = default_rng(20)
    copies = rng.integers(1, 5, 2 ** (INPUTS + 1))
    states = np.repeat(np.arange(2 ** (INPUTS + 1)), copies)
    return patterns(INPUTS)[states // 2].astype(np.uint8), states % 2, rng.uniform(0.2, 0.8, INPUTS)


def _exact_gradient(model: Model, parameters: Floats, noisy: Array, codes: Array) -> Floats:
    noise = joint_noise(INPUTS, label_matrix(FLIP), MATRIX)
    counts = np.bincount(2 * (noisy @ [8, 4, 2, 1]) + codes, minlength=32)
    return SpreadLikelihood(noise)(model, parameters, counts)[1]


@pytest.mark.parametrize("labels", [SampledLabels, SummedLabels])
def test_pixel_step_estimates_the_exact_gradient(labels: type) -> None:
    noisy, codes, one = _every_observation()
    inputs = np.prod(np.where(patterns(INPUTS) == 1, one, 1 - one), axis=1)
    exact = _exact_gradient(given_inputs(np.log(inputs)), THETA, noisy, codes)
    step = steps.FlipPixelStep(noisy, labels(codes, MATRIX), RATES, 5000, np.column_stack([1 - one, one]))
    rng = default_rng(21)
    found = [step(THETA, 0.0, rng).gradient / len(noisy) for _ in range(40)]
    assert_mean(found, exact)


def test_learned_prior_takes_the_exact_em_step() -> None:
    noisy, codes, _ = _every_observation()
    one = np.full(INPUTS, 0.5)
    slope = _exact_gradient(factorised_inputs(INPUTS), np.concatenate([THETA, np.zeros(INPUTS)]), noisy, codes)
    # The derivative by a log-odds is the posterior mean of x minus its prior mean.
    exact = one + slope[INPUTS:]
    prior = np.column_stack([1 - one, one])
    step = steps.FlipPixelStep(noisy, SummedLabels(codes, MATRIX), RATES, 5000, prior)
    step.count_states = True
    rng = default_rng(22)
    found = []
    for _ in range(40):
        counted = step(THETA, 0.0, rng).state_counts
        assert counted is not None
        np.testing.assert_allclose(counted.sum(axis=1), len(noisy), rtol=1e-4)
        found.append(counted[:, 1] / len(noisy))
    assert_mean(found, exact)


def _quadrature(mean: Floats, variance: Floats, codes: Array, theta: Floats, intercept: float) -> tuple[Floats, float]:
    """The exact sums of an E-step over two Gaussian inputs, by a product rule."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    grid = np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, 2)
    mass = np.outer(weights, weights).ravel() / weights.sum() ** 2
    gradient, pull = np.zeros(2), 0.0
    for centre, code in zip(mean, codes, strict=True):
        x = centre + grid * np.sqrt(variance)
        phi = expit(x @ theta + intercept)
        one, zero = MATRIX[code, 1] * phi * mass, MATRIX[code, 0] * (1 - phi) * mass
        part = (one * (1 - phi) - zero * phi) / (one + zero).sum()
        gradient += part @ x
        pull += part.sum()
    return gradient, pull


@pytest.mark.parametrize("kind", [steps.GaussianPixelStep, steps.ProjectedStep.of])
@pytest.mark.parametrize("labels", [SampledLabels, SummedLabels])
def test_gaussian_steps_estimate_the_exact_gradient(kind: Any, labels: type) -> None:
    rng = default_rng(23)
    noisy, codes = rng.normal(size=(6, 2)), np.array([0, 1, 1, 0, 1, 1])
    theta = np.array([1.5, -2.0])
    mean, variance = gaussian_moments(noisy, 0.5, (np.array([0.2, -0.1]), np.array([2.0, 1.0])))
    gradient, pull = _quadrature(mean, variance, codes, theta, 0.3)
    step = kind(mean, variance, labels(codes, MATRIX), 20_000)
    results = [step(theta, 0.3, rng) for _ in range(40)]
    assert_mean([[*result.gradient, result.intercept] for result in results], [*gradient, pull])
    # At θ = 0 all samples of an image weigh the same, but for their labels.
    if labels is SummedLabels:
        assert step(0 * theta, 0.3, rng).effective == pytest.approx(20_000, rel=1e-4)


def test_gaussian_moments_are_bayes_rule() -> None:
    noisy = np.array([[0.3, -1.0]])
    mean, variance = gaussian_moments(noisy, 0.5, (np.array([0.2, -0.1]), np.array([2.0, 1.0])))
    for d in range(2):
        x = np.linspace(-12, 12, 200_001)
        prior = ((x - [0.2, -0.1][d]) ** 2) / [2.0, 1.0][d]
        density = np.exp(-((x - noisy[0, d]) ** 2) / 0.5 / 2 - prior / 2)
        density /= density.sum()
        assert mean[0, d] == pytest.approx(density @ x, rel=1e-9)
        assert variance[d] == pytest.approx(density @ x**2 - (density @ x) ** 2, rel=1e-7)


def test_a_mean_of_flipped_pixels_is_that_of_the_clean_ones() -> None:
    """Of as many images of each state as the law says, it is exact; beyond what any law makes it stays in range."""
    rates = FlipRates(0.3, 4)
    noisy = np.column_stack([np.repeat(range(4), often) for often in ([7, 1, 1, 1], [1, 7, 1, 1], [1, 1, 1, 7])])
    np.testing.assert_allclose(debias_mean(noisy, rates), [0, 1 / 3, 1], atol=1e-12)
    np.testing.assert_allclose(debias_mean(0 * noisy + [0, 3, 3], rates), [0, 1, 1], atol=1e-12)


def test_flip_moments_are_bayes_rule() -> None:
    rng = default_rng(24)
    prior = rng.dirichlet(np.full(7, 0.4), 3)
    values = rng.normal(size=7)
    rates = FlipRates(0.35, 7)
    mean, variance = flip_moments(prior, rates, values)
    channel = np.full((7, 7), 0.35 / 6) + np.eye(7) * (0.65 - 0.35 / 6)
    posterior = channel[None] * prior[:, None, :]
    posterior /= posterior.sum(axis=2, keepdims=True)
    np.testing.assert_allclose(mean, posterior @ values, atol=1e-12)
    np.testing.assert_allclose(variance, posterior @ values**2 - mean**2, atol=1e-12)


@pytest.mark.parametrize(("flip", "images"), [(0.0, 40), (0.2, 40), (0.2, 1)])
@pytest.mark.parametrize("states", [2, 256])
def test_a_flat_prior_takes_the_step_of_its_moments(flip: float, images: int, states: int) -> None:
    rng = default_rng(32)
    noisy, codes = rng.integers(0, states, (images, 30), dtype=np.uint8), rng.integers(0, 2, images)
    theta, rates, prior = rng.normal(size=30), FlipRates(flip, states), flat_prior(30, states)
    labels = SummedLabels(codes, MATRIX)
    found = steps.FlipProjectedStep(noisy, labels, rates, 10, prior)(theta, 0.1, default_rng(33))
    tables = flip_moments(prior, rates, np.arange(states) / (states - 1))
    mean, variance = (table[np.arange(30), noisy].astype(np.float32) for table in tables)
    plainly = steps.ProjectedStep.of(mean, variance, labels, 10)(theta, 0.1, default_rng(33))
    np.testing.assert_allclose(found.gradient, plainly.gradient, rtol=1e-4, atol=1e-5 * images)
    assert found.intercept == pytest.approx(plainly.intercept, rel=1e-4, abs=1e-5 * images)
    assert found.effective == pytest.approx(plainly.effective, rel=1e-5)


@pytest.mark.parametrize("flat", [False, True])
def test_projected_step_is_close_to_the_pixels(flat: bool) -> None:
    rng = default_rng(25)
    noisy = rng.integers(0, 256, (40, 300), dtype=np.uint8)
    codes = rng.integers(0, 2, 40)
    theta = rng.normal(size=300) * 0.3
    prior = flat_prior(300, 256) if flat else rng.dirichlet(np.ones(256), 300)
    sums = []
    for kind in (steps.FlipPixelStep, steps.FlipProjectedStep):
        step = kind(noisy, SummedLabels(codes, MATRIX), FlipRates(0.2, 256), 2000, prior)
        sums.append(step(theta, 0.1, rng))
    distance = np.linalg.norm(sums[0].gradient - sums[1].gradient)
    assert distance < 0.02 * np.linalg.norm(sums[0].gradient)
    assert sums[0].intercept == pytest.approx(sums[1].intercept, rel=0.02)


def test_blocks_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    noisy, codes, one = _every_observation()
    prior = np.column_stack([1 - one, one])

    def make() -> steps.FlipPixelStep:
        step = steps.FlipPixelStep(noisy, SummedLabels(codes, MATRIX), RATES, 20_000, prior)
        step.count_states = True
        return step

    whole = make()(THETA, 0.0, default_rng(27))
    monkeypatch.setattr(steps, "_MOST_SAMPLES", 11 * INPUTS * 20_000)
    cut = make()
    other = cut(THETA, 0.0, default_rng(27))
    assert len(cut._scratch) == 11 < len(noisy) / 3
    np.testing.assert_allclose(other.gradient, whole.gradient, atol=0.1)
    assert whole.state_counts is not None
    assert other.state_counts is not None
    np.testing.assert_allclose(other.state_counts, whole.state_counts, rtol=0.02)
    cut.set_prior(prior[:, ::-1].copy())
    assert not np.allclose(cut(THETA, 0.0, default_rng(27)).gradient, other.gradient, atol=0.1)


def test_the_marginals_of_pixels_are_the_shares_of_their_states() -> None:
    pixels = np.array([[0, 2], [1, 2], [1, 2], [1, 0]])
    assert pixel_marginals(pixels, 3).tolist() == [[0.25, 0.75, 0], [0.25, 0, 0.75]]
    for wrong in (pixels[:0], pixels[0]):
        with pytest.raises(UnveilError, match="at least one row"):
            pixel_marginals(wrong, 3)


def test_em_on_the_pixels_never_lowers_their_likelihood() -> None:
    rng = default_rng(28)
    rates, truth = FlipRates(0.3, 8), rng.dirichlet(np.full(8, 0.5), 3)
    channel = np.full((8, 8), rates.other) + np.eye(8) * rates.extra
    noisy = np.array([rng.choice(8, 5000, p=channel @ row) for row in truth])
    counts, prior = state_counts(noisy, 8), flat_prior(3, 8)
    values = []
    for _ in range(300):
        values.append(float((counts * np.log(prior @ channel.T)).sum()))
        prior = update_prior(expect_counts(counts, prior, rates), 1e-9)
    assert np.all(np.diff(values) >= -1e-6)
    np.testing.assert_allclose(prior, truth, atol=0.06)


def test_learning_follows_the_expected_counts() -> None:
    noisy, codes, _ = _every_observation()
    prior, theta = flat_prior(INPUTS, 2), np.zeros(INPUTS)
    made = [steps.FlipPixelStep(noisy, SummedLabels(codes, MATRIX), RATES, 10, prior) for _ in range(2)]
    learning = steps.LearningStep(made[0], prior, 1.0)
    learning(theta, 0.0, default_rng(29))
    made[1].count_states = True
    counts = made[1](theta, 0.0, default_rng(29)).state_counts
    assert counts is not None
    np.testing.assert_allclose(learning.prior, (counts + 0.5) / (len(noisy) + 1), rtol=1e-5)
