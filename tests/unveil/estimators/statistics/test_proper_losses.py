"""Losses from generators against their closed forms, and a generator without one against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from refusals import refused
from unveil.estimators.statistics import proper_losses as proper
from unveil.estimators.statistics.losses import LOSSES

#: With margins at which the maximiser is too small for a number.
GRID = np.concatenate([[-1e4], np.linspace(-40, 40, 1601), [1e4]])
#: −u(1−u) on [0, 1]; the square loss needs φ beyond, which is why it is larger for margins beyond ±1.
GINI = proper.PermissibleGenerator(lambda u: -u * (1 - u), lambda u: 2 * u - 1, lambda u: np.full_like(u, 2.0))


@pytest.mark.parametrize(
    ("generator", "b", "name"),
    [(proper.ENTROPY, 1, "logistic"), (proper.ROOT, 0.5, "matsushita"), (GINI, 0.25, "modified_huber")],
)
def test_generators_give_the_known_losses(generator: proper.PermissibleGenerator, b: float, name: str) -> None:
    made, known = proper.symmetric_proper_loss(generator, b), LOSSES[name]
    assert made.a == known.a
    assert made.growth == known.growth
    assert made.steepest == pytest.approx(known.steepest, rel=1e-3)
    for part in ("even", "slope"):
        assert_allclose(getattr(made, part)(GRID), getattr(known, part)(GRID), rtol=1e-12, atol=1e-12)
    inside = GRID[np.abs(np.abs(GRID) - 1) > 1e-9]
    assert_allclose(made.curvature(inside), known.curvature(inside), rtol=1e-6, atol=1e-12)


def test_a_generator_without_a_closed_form_matches_direct_maximisation() -> None:
    generator = proper.mixture(proper.ENTROPY, proper.ROOT, 0.3)
    loss = proper.symmetric_proper_loss(generator, 0.7, a_phi=0.2)

    def conjugate(z: float) -> float:
        found = minimize_scalar(
            lambda u: float(generator.phi(np.array(u))) - z * u,
            bounds=(0, 1),
            method="bounded",
            options={"xatol": 1e-12},
        )
        return -float(found.fun)

    points = np.array([-3.0, -0.7, 0.0, 0.4, 2.5])
    assert_allclose(loss(points), [0.2 + conjugate(-z) / 0.7 for z in points], atol=1e-9)
    assert_allclose(loss(GRID) - loss(-GRID), -GRID / 0.7, rtol=1e-13, atol=1e-13)
    z, h = np.linspace(-5, 5, 41), 1e-5
    assert_allclose(loss.slope(z), (loss.even(z + h) - loss.even(z - h)) / (2 * h), atol=1e-8)
    assert_allclose(loss.curvature(z), (loss.slope(z + h) - loss.slope(z - h)) / (2 * h), atol=1e-8)


LOPSIDED = proper.PermissibleGenerator(np.square, lambda u: 2 * u, lambda u: 2 + 0 * u)
BENT = proper.PermissibleGenerator(lambda u: u * (1 - u), lambda u: 1 - 2 * u, lambda u: -2 + 0 * u)
test_bad_generators_are_refused = refused(
    (proper.symmetric_proper_loss, proper.ENTROPY, 0, "b_phi must be positive"),
    (proper.symmetric_proper_loss, LOPSIDED, 1, "symmetric"),
    (proper.symmetric_proper_loss, BENT, 1, "convex"),
    (proper.mixture, proper.ENTROPY, proper.ROOT, 1.5, "weight"),
)
