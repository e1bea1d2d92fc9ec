from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from unveil.privacy.pair import hockey_stick, loss_tail, loss_tails

COUNTS = np.unique(np.round(np.concatenate([np.arange(2, 12), np.geomspace(12, 1e5, 16)])))
SCALES = np.geomspace(1e-12, 1e5, 60)


@pytest.mark.parametrize(
    ("gives", "takes", "scale", "epsilon"),
    [(50, 50, 0.3, 0.05), (50, 800, 2.0, 0.1), (9, 4, 1.0, 0.5), (3, 2, 0.9, 0.01)],
)
def test_against_integration_of_the_densities(gives: int, takes: int, scale: float, epsilon: float) -> None:
    here = beta(scale * gives, scale * takes)
    there = beta(scale * (gives - 1), scale * (takes + 1))
    positive = lambda r: max(here.pdf(r) - np.exp(epsilon) * there.pdf(r), 0.0)  # noqa: E731
    points = list(here.ppf([1e-6, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-6]))
    divergence, _ = quad(positive, 0, 1, points=points, limit=2000)
    assert hockey_stick(gives, takes, scale, epsilon) == pytest.approx(divergence, rel=1e-6)
    exceeds = lambda r: here.pdf(r) * (here.pdf(r) > np.exp(epsilon) * there.pdf(r))  # noqa: E731
    tail, _ = quad(exceeds, 0, 1, points=points, limit=2000)
    assert loss_tail(gives, takes, scale, epsilon) == pytest.approx(tail, rel=1e-4)


def test_a_class_that_can_vanish_is_told_for_sure() -> None:
    assert hockey_stick(1, 5, 0.1, 0.5) == hockey_stick(5, 0, 0.1, 0.5) == 1.0
    assert loss_tail(1, 5, 0.1, 0.5) == 1.0


def test_the_tail_of_a_tiny_scale_goes_to_its_limit() -> None:
    # As σ → 0 the log-odds over 1/σ become exponential: the tail is η_i/(η_i + η_j) · exp(−η_j (ε + log Λ)).
    limit = 0.5 * np.exp(-50 * (0.05 + np.log(49 / 50 * 51 / 50)))
    assert loss_tail(50, 50, 1e-12, 0.05) == pytest.approx(limit, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.001, 0.05, 0.5, 4.0])
def test_the_facts_the_calibration_rests_on(epsilon: float) -> None:
    """The docstring of `dirichlet_scale`: which pairs bind, and that feasible scales form an interval."""
    gives, takes, scale = np.meshgrid(COUNTS, COUNTS, SCALES, indexing="ij")
    exact = np.vectorize(hockey_stick)(gives, takes, scale, epsilon)
    assert np.diff(exact, axis=0).max() <= 1e-12
    assert np.diff(exact, axis=1).max() <= 1e-12
    assert np.diff(exact, axis=2).min() >= -1e-12
    tails = loss_tails(gives, takes, scale, epsilon)
    assert np.diff(tails, axis=0).max() <= 1e-12
    slopes = np.diff(tails, axis=2)
    risen = np.cumsum(slopes > 1e-9, axis=2) > 0
    assert not (risen[:, :, :-1] & (slopes[:, :, 1:] < -1e-9)).any()
