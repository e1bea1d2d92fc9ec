"""Exact products: what a learner gets from them, and what is refused; their law stands with coordinate release's."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from refusals import refused
from unveil.estimators.moments.regression import MomentRegression
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.exact_products import ExactProducts


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


test_mistakes = refused(
    (lambda: ExactProducts(1.0).publish((2 * np.ones((4, 2)), np.ones(4))), "lie in"),
    (lambda: ExactProducts(1.0).publish((np.ones((4, 1)), np.ones(4))), "two"),
    (lambda: ExactProducts(30.0), "epsilon"),
)
