"""The exact spread likelihood: closed forms, finite differences, EM, errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.random import default_rng
from scipy.optimize import approx_fprime
from scipy.special import expit, softmax

from refusals import refused
from replication.papers.spread.consistency.enumeration import (
    any_inputs,
    factorised_inputs,
    given_inputs,
    joint_noise,
    patterns,
)
from unveil.estimators.spread.likelihood import Model, SpreadLikelihood, bernoulli, categorical
from unveil.mechanisms.flips import LabelFlips, PixelFlips

INPUTS = 5
#: No rate of flips is too small to compute with, but for none at all.
RATES = st.just(0.0) | st.floats(1e-9, 0.45)


@given(st.floats(0.02, 0.98), RATES, RATES)
def test_bernoulli_maximum_is_the_corrected_estimator(theta: float, up: float, down: float) -> None:
    noise = LabelFlips(up, down).matrix
    seen = noise @ [1 - theta, theta]
    found = SpreadLikelihood(noise).maximise(bernoulli, seen, 0.0)
    assert expit(found[0]) == pytest.approx((seen[1] - up) / (1 - up - down), abs=2e-5)


def test_categorical_maximum_undoes_the_noise() -> None:
    noise = PixelFlips(0.4, 6).matrix
    truth = softmax(default_rng(1).normal(size=6))
    found = SpreadLikelihood(noise).maximise(categorical, noise @ truth, np.zeros(5))
    np.testing.assert_allclose(softmax(np.concatenate([[0], found])), truth, atol=1e-6)


@pytest.mark.parametrize(
    ("model", "size"),
    [
        (given_inputs(np.log(softmax(default_rng(2).normal(size=2**INPUTS)))), INPUTS),
        (factorised_inputs(INPUTS), 2 * INPUTS),
        (any_inputs(INPUTS), INPUTS + 2**INPUTS - 1),
    ],
)
def test_gradient_equals_finite_differences_on_all_states(model: Model, size: int) -> None:
    rng = default_rng(3)
    likelihood = SpreadLikelihood(joint_noise(INPUTS, PixelFlips(0.2, 2).matrix, LabelFlips(0.1, 0.3).matrix))
    counts = rng.integers(0, 20, 2 ** (INPUTS + 1))
    parameters = rng.normal(size=size)
    _, gradient = likelihood(model, parameters, counts)
    numeric = approx_fprime(parameters, lambda at: likelihood(model, at, counts)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-6)


def test_models_are_distributions_and_agree() -> None:
    rng = default_rng(4)
    theta, logits = rng.normal(size=INPUTS), rng.normal(size=INPUTS)
    log_p, _ = factorised_inputs(INPUTS)(np.concatenate([theta, logits]))
    assert np.exp(log_p).sum() == pytest.approx(1)
    one = expit(logits)
    inputs = np.prod(np.where(patterns(INPUTS) == 1, one, 1 - one), axis=1)
    np.testing.assert_allclose(given_inputs(np.log(inputs))(theta)[0], log_p)
    free = np.concatenate([theta, np.log(inputs[1:] / inputs[0])])
    np.testing.assert_allclose(any_inputs(INPUTS)(free)[0], log_p)
    z = patterns(INPUTS) @ theta
    np.testing.assert_allclose(np.exp(log_p[1::2]), inputs * expit(z))


def test_joint_noise_flips_every_part_on_its_own() -> None:
    pixel, label = PixelFlips(0.2, 2).matrix, LabelFlips(0.1, 0.3).matrix
    noise = joint_noise(2, pixel, label)
    # From x = (1, 0), c = 1 (state 5) to x = (1, 1), c = 0 (state 6).
    assert noise[6, 5] == pytest.approx(pixel[1, 1] * pixel[1, 0] * label[0, 1])
    np.testing.assert_allclose(noise.sum(axis=0), 1)


test_bad_input = refused(
    (lambda: SpreadLikelihood(np.full((2, 2), 0.5)), "invertible"),
    (lambda: SpreadLikelihood(np.ones((2, 3)) / 2), "square"),
    (lambda: SpreadLikelihood(np.array([[0.9, 0.3], [0.2, 0.7]])), "sum to one"),
    (lambda: SpreadLikelihood(np.array([[np.nan, 0.3], [0.2, 0.7]])), "finite"),
    (lambda: SpreadLikelihood(np.array([[1.2, -0.1], [-0.2, 1.1]])), "finite probabilities"),
    (lambda: SpreadLikelihood(np.eye(2)).maximise(bernoulli, [1, 2], []), "start must be a vector"),
    (lambda: SpreadLikelihood(np.eye(2)).maximise(bernoulli, [1, 2, 3], 0.0), "counts"),
    (lambda: SpreadLikelihood(np.eye(2)).maximise(bernoulli, ["a", "b"], 0.0), "counts must hold numbers"),
    (lambda: SpreadLikelihood(np.eye(2)).maximise(bernoulli, [-1, 2], 0.0), "counts"),
    (lambda: SpreadLikelihood(np.eye(2)).maximise(bernoulli, [0, 0], 0.0), "counts"),
    (lambda: SpreadLikelihood(np.eye(2)).maximise(bernoulli, [1, 2], np.nan), "start"),
    (lambda: patterns(30), "inputs"),
)


def test_more_ones_than_the_noise_explains_end_at_the_edge() -> None:
    found = SpreadLikelihood(LabelFlips(0.3).matrix).maximise(bernoulli, [10, 90], 0.0)
    assert expit(found[0]) > 0.999
