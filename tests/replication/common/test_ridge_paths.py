"""The crossover's fits where they are hard: far margins, small ridges, few records; all against double precision."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from replication.common.margin_losses import LOSSES as TABLE
from replication.common.ridge_paths import fit_tuned
from replication.common.tuning import Tuning
from replication.data.scaling import unit_rows
from unveil.estimators.statistics.risk import Design

LOSSES = {name: make(10) for name, make in TABLE.items()}
CONVEX = ("moment", "mean_operator", "naive", "clean")


def tuning(*l2s: float) -> Tuning:
    return Tuning(l2s=l2s, folds=3, samples=10, tolerance=1e-6)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("p", [0.0, 0.3])
def test_bends_are_derivatives_of_slopes(name: str, p: float) -> None:
    u, flips, step = np.linspace(-6, 6, 25)[:, None], np.array([p]), 1e-5
    loss = LOSSES[name]
    slopes = [loss.of(u + sign * step, flips)[1] for sign in (-1, 1)]
    assert_allclose(loss.bend(u, flips), (slopes[1] - slopes[0]) / (2 * step), atol=1e-8)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("p", [0.0, 0.3, 0.475])
def test_single_precision_says_the_same_however_large_the_margins(name: str, p: float) -> None:
    sizes = np.geomspace(1e-6, 60, 40)
    u = np.concatenate([-sizes, [0.0], sizes]).astype(np.float32)[None]
    flips = np.array([[p]])
    for single, double in zip(
        LOSSES[name].curved(u, flips.astype(np.float32)), LOSSES[name].curved(u.astype(float), flips), strict=True
    ):
        assert single.dtype == np.float32
        assert_allclose(single, double, rtol=2e-6, atol=1e-6)
    far = np.array([[-1e6, 1e6]], dtype=np.float32)
    for array in (*LOSSES[name].curved(far, flips.astype(np.float32)), LOSSES[name].bend(far, flips.astype("f4"))):
        assert np.isfinite(array).all()


@pytest.mark.parametrize("name", LOSSES)
def test_small_ridges_end_where_the_gradient_vanishes(name: str) -> None:
    """In double precision, over several blocks and veils, down a path on which Hessians are taken."""
    features = unit_rows(np.random.default_rng(5).standard_normal((2500, 12)) * np.geomspace(1, 0.02, 12))
    labels = np.where(features[:, 0] > 0, 1, -1).astype(np.int8)
    flips = np.array([0.05, 0.3])
    signs = np.where(np.random.default_rng(6).random((2, 2500)) < flips[:, None], -labels, labels).astype(np.int8)
    for l2 in (1e-3, 1e-5):
        fit = fit_tuned(Design(features), signs, flips, LOSSES[name], tuning(l2, 1e-1))
        alone = fit_tuned(Design(features), signs, flips, LOSSES[name], tuning(l2))
        for i, theta in enumerate(alone.theta):
            slope = LOSSES[name].of(features @ theta * signs[i], flips[[i]])[1]
            gradient = (slope * signs[i]) @ features / len(features) + 2 * l2 * theta
            assert np.abs(gradient).max() < 1e-5
            if fit.l2[i] == l2 and name in CONVEX:
                assert_allclose(fit.theta[i], theta, rtol=1e-2, atol=1e-5 / l2)


@pytest.mark.parametrize("name", LOSSES)
def test_few_records_and_one_class_are_fitted(name: str) -> None:
    """As many records as folds, all reported alike, and a feature that is another's multiple."""
    features = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.5], [0.5, 1.0, -1.0]])
    fit = fit_tuned(
        Design(features), np.ones((1, 3), dtype=np.int8), np.array([0.2]), LOSSES[name], tuning(1e-4, 1e-2, 1.0)
    )
    assert np.isfinite(fit.theta).all()
    assert np.isfinite(fit.held_out[0, -1])
    assert fit.theta[0, 1] == pytest.approx(2 * fit.theta[0, 0])
