"""Section 2 as demonstrations: theorem 3, corollary 4 and where it fails, and (1) to (3)."""

from __future__ import annotations

from collections.abc import Callable
from math import e

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from replication.papers.mean_operator.factorization import (
    best_constant,
    conditional_log_likelihood,
    labelled_risk,
    odd_residual,
)
from unveil.estimators.statistics.losses import LOSSES, OTHER_LOSSES, LinearOddLoss, loss_from_even
from unveil.estimators.statistics.proper_losses import ENTROPY, ROOT, mixture, symmetric_proper_loss
from unveil.types import Floats


def factorized_risk(loss: Callable[[Floats], Floats], a: float, theta: Floats, X: Floats, mu: Floats) -> float:
    """(4): both labels tried on every record, and the mean operator. No label enters."""
    margins = X @ theta
    return float(np.mean(loss(margins) + loss(-margins)) / 2 - a / 2 * (theta @ mu))


ALL = [*LOSSES.values(), symmetric_proper_loss(mixture(ENTROPY, ROOT, 0.4), 0.6)]


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 60), d=st.integers(1, 8))
def test_theorem_3_the_labelled_risk_needs_the_mean_operator_only(
    loss: LinearOddLoss, seed: int, m: int, d: int
) -> None:
    rng = np.random.default_rng(seed)
    X, y, theta = rng.normal(size=(m, d)), rng.choice([-1, 1], m), rng.normal(size=d)
    assert_allclose(
        factorized_risk(loss, loss.a, theta, X, y @ X / m), labelled_risk(loss, theta, X, y), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("name", OTHER_LOSSES)
def test_theorem_3_fails_for_losses_with_a_bent_odd_part(name: str) -> None:
    loss, z = OTHER_LOSSES[name], np.linspace(-3, 3, 121)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.choice([-1, 1], 50)
    theta = np.ones(3)
    a = best_constant(loss, z)
    assert np.max(np.abs(odd_residual(loss, a, z))) > 0.1
    assert abs(factorized_risk(loss, a, theta, X, y @ X / 50) - labelled_risk(loss, theta, X, y)) > 1e-3


def twins() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Features and two labellings with the same mean operator: x₁ + x₂ = x₃ + x₄."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.5, 0.5], [2.0, 1.0]])
    return X, np.array([1, 1, -1, -1, 1]), np.array([-1, -1, 1, 1, 1])


@pytest.mark.parametrize("loss", ALL, ids=lambda loss: loss.name)
def test_corollary_4_equal_statistics_mean_equal_risks(loss: LinearOddLoss) -> None:
    X, y, other = twins()
    assert np.array_equal(y @ X, other @ X)
    for theta in np.random.default_rng(1).normal(size=(20, 2)):
        assert_allclose(labelled_risk(loss, theta, X, y), labelled_risk(loss, theta, X, other), atol=1e-12)


def test_corollary_4_hinge_tells_the_twins_apart() -> None:
    X, y, other = twins()
    theta = np.array([1.5, -1.0])
    assert (
        abs(labelled_risk(OTHER_LOSSES["hinge"], theta, X, y) - labelled_risk(OTHER_LOSSES["hinge"], theta, X, other))
        > 0.01
    )


@pytest.mark.parametrize("a", [0.0, 1.0])
def test_corollary_4_fails_at_a_equal_to_zero(a: float) -> None:
    """With an even loss the risk does not depend on labels at all, although the statistics differ."""
    loss = loss_from_even(np.abs, np.sign, np.zeros_like, a)
    rng = np.random.default_rng(2)
    X, y, theta = rng.normal(size=(30, 3)), rng.choice([-1, 1], 30), rng.normal(size=3)
    assert not np.allclose(y @ X, -y @ X)
    same = np.isclose(labelled_risk(loss, theta, X, y), labelled_risk(loss, theta, X, -y), atol=1e-12)
    assert same == (a == 0)


def test_likelihood_is_the_logistic_risk_at_twice_theta() -> None:
    rng = np.random.default_rng(3)
    X, y, theta = rng.normal(size=(40, 4)), rng.choice([-1, 1], 40), rng.normal(size=4)
    by_hand = sum(
        np.log(e ** (label * (row @ theta)) / (e ** (row @ theta) + e ** -(row @ theta)))
        for row, label in zip(X, y, strict=True)
    )
    assert_allclose(conditional_log_likelihood(theta, X, y), by_hand, rtol=1e-12)
    assert_allclose(by_hand, -40 * labelled_risk(LOSSES["logistic"], 2 * theta, X, y), rtol=1e-12)
