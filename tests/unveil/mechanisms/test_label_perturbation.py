"""Randomised response on signs: its law, and the mean operator through it."""

from __future__ import annotations

from math import exp, log, sinh

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose

from checks import assert_frequencies, assert_mean
from refusals import refused
from unveil.mechanisms.label_perturbation import LabelResponse
from unveil.mechanisms.mean_operator import mean_operator
from unveil.types import Array, Floats


def problem(seed: int, m: int = 40, d: int = 3) -> tuple[Floats, Array]:
    rng = default_rng(seed)
    X = rng.normal(size=(m, d))
    X /= np.linalg.norm(X, axis=1).max()
    return X, np.where(X[:, 0] + 0.3 * rng.normal(size=m) > 0, 1, -1)


def test_label_response_keeps_labels_at_the_stated_rate() -> None:
    released = LabelResponse(0.7).release(np.ones(200_000, dtype=int), default_rng(0))
    keep = exp(0.7) / (1 + exp(0.7))
    assert_frequencies([np.sum(released < 0), np.sum(released > 0)], [1 - keep, keep])
    assert log(keep / (1 - keep)) == pytest.approx(LabelResponse(0.7).claimed_epsilon)


def test_label_response_estimates_the_mean_operator_without_bias() -> None:
    X, y = problem(1)
    mechanism, rng = LabelResponse(0.5), default_rng(2)
    draws = np.array([mechanism.mean_operator(X, mechanism.release(y, rng)) for _ in range(5000)])
    assert_mean(draws, mean_operator(X, y))
    assert_allclose(mechanism.deviation, 1 / sinh(0.25))
    assert_mean((draws - mean_operator(X, y)) ** 2, np.mean(X**2, axis=0) / 40 / sinh(0.25) ** 2)
    assert LabelResponse(5000.0).deviation == 0


test_bad_input_is_named = refused(
    (lambda: LabelResponse(0), "epsilon must be"),
    (lambda: LabelResponse(1).release([0, 1], default_rng(0)), "y must hold the labels"),
    (lambda: LabelResponse(1).mean_operator(np.ones((2, 1)), [1]), "y must have shape"),
)
