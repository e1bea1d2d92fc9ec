"""Many minimisations at once, against closed forms and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize, rosen, rosen_der, rosen_hess

from unveil.errors import UnveilError
from unveil.numerics.descent import Objectives, descend, positive_inverses
from unveil.types import Array, Floats


def valleys(points: Floats, rows: Array) -> tuple[Floats, Floats]:
    return np.array([rosen(point) for point in points]), np.array([rosen_der(point) for point in points])


def bowls(hessians: Floats, centres: Floats) -> Objectives:
    def objectives(points: Floats, rows: Array) -> tuple[Floats, Floats]:
        apart = points - centres[rows]
        pull = np.einsum("kij,kj->ki", hessians[rows], apart)
        return np.einsum("ki,ki->k", apart, pull) / 2, pull

    return objectives


def test_quadratics_of_any_condition_end_at_their_minima() -> None:
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((6, 5, 5)) * np.geomspace(1, 30, 5)
    hessians, centres = roots @ roots.swapaxes(1, 2) + 0.1 * np.eye(5), rng.standard_normal((6, 5))
    found = descend(bowls(hessians, centres), np.zeros((6, 5)), 1 / np.einsum("kii->ki", hessians), 1e-9)
    assert found.converged.all()
    assert_allclose(found.points, centres, atol=1e-6)
    # Of a first guess that is a thousand times too long, too.
    far = descend(bowls(hessians, centres), np.zeros((6, 5)), 1e3 / np.einsum("kii->ki", hessians), 1e-9)
    assert_allclose(far.points, centres, atol=1e-6)


def test_curved_valleys_are_followed_and_problems_do_not_disturb_each_other() -> None:
    starts = np.array([[-1.2, 1.0, -1.2, 1.0], [0.0, 0.0, 0.0, 0.0], [2.0, -1.0, 2.0, -1.0]])

    together = descend(valleys, starts, np.full((3, 4), 1e-3), 1e-8)
    for start, point in zip(starts, together.points, strict=True):
        expected = minimize(rosen, start, jac=rosen_der, method="BFGS", options={"gtol": 1e-9}).x
        assert_allclose(point, expected, atol=1e-5)
        alone = descend(valleys, start[None], np.full((1, 4), 1e-3), 1e-8)
        assert_allclose(alone.points[0], point, atol=1e-6)


def test_what_does_not_converge_says_so() -> None:
    def slope(points: Floats, rows: Array) -> tuple[Floats, Floats]:
        return -points.sum(axis=1), -np.ones_like(points)

    found = descend(slope, np.zeros((2, 3)), np.ones((2, 3)), 1e-6, max_iter=5)
    assert not found.converged.any()
    assert found.iterations == 5
    with pytest.raises(UnveilError, match="scale"):
        descend(slope, np.zeros((2, 3)), np.zeros((2, 3)), 1e-6)


def test_who_finds_no_way_down_is_left_at_once_and_keeps_nobody() -> None:
    """One of two slopes points uphill."""
    rise = np.array([[1.0], [-1.0]])

    def bowl(points: Floats, rows: Array) -> tuple[Floats, Floats]:
        return ((points - 1) ** 2).sum(axis=1), rise[rows] * 2 * (points - 1)

    both = descend(bowl, np.zeros((2, 3)), np.full((2, 3), 0.1), 1e-9)
    alone = descend(bowl, np.zeros((1, 3)), np.full((1, 3), 0.1), 1e-9)
    assert both.converged.tolist() == [True, False]
    assert np.array_equal(both.points[1], np.zeros(3))
    assert both.iterations == alone.iterations < 15


def test_what_wanders_within_rounding_is_left_before_the_last_step() -> None:
    """Values and gradients that differ from call to call by more than the tolerance, as in single precision."""
    rng, calls = np.random.default_rng(1), [0]

    def rough(points: Floats, rows: Array) -> tuple[Floats, Floats]:
        calls[0] += 1
        value = np.einsum("ij,ij->i", points - 1, points - 1)
        noise = rng.uniform(-1, 1, size=points.shape)
        return value + 1e-7 * noise[:, 0], 2 * (points - 1) + 1e-5 * noise

    found = descend(rough, np.zeros((3, 4)), np.full((3, 4), 0.3), 1e-7, max_iter=500, rounding=1e-6)
    assert_allclose(found.points, 1, atol=1e-3)
    assert not found.converged.any()
    assert found.iterations < 60
    assert calls[0] < 1500


def test_hessians_shorten_the_way_to_the_same_minima() -> None:
    def hessians(points: Floats, rows: Array) -> Floats:
        return np.array([rosen_hess(point) for point in points])

    starts = np.random.default_rng(0).uniform(0, 2, size=(4, 3))  # of more coordinates there is a second valley
    found = descend(valleys, starts, np.full((4, 3), 1e-3), 1e-9, hessians=hessians)
    plain = descend(valleys, starts, np.full((4, 3), 1e-3), 1e-9)
    assert found.converged.all()
    assert_allclose(found.points, 1, atol=1e-8)
    assert found.iterations < plain.iterations
    alone = descend(valleys, starts[:1], np.full((1, 3), 1e-3), 1e-9, hessians=hessians)
    assert_allclose(alone.points[0], found.points[0], atol=1e-8)


def test_the_right_matrix_leads_there_at_once_and_is_left_as_it_was() -> None:
    rng = np.random.default_rng(3)
    roots, centres = rng.standard_normal((2, 4, 4)), rng.standard_normal((2, 4))
    hessians = roots @ roots.swapaxes(1, 2) + np.eye(4)
    scale = np.linalg.inv(hessians)
    kept = scale.copy()
    found = descend(bowls(hessians, centres), np.zeros((2, 4)), scale, 1e-9, hessians=lambda _, rows: hessians[rows])
    assert found.converged.all()
    assert found.iterations <= 2
    assert np.array_equal(scale, kept)


def test_a_saddle_is_left() -> None:
    """x⁴/4 − x²/2 + y²/2, from beside the saddle at zero: the Hessian there points back to it."""

    def saddle(points: Floats, rows: Array) -> tuple[Floats, Floats]:
        x, y = points.T
        return x**4 / 4 - x**2 / 2 + y**2 / 2, np.column_stack([x**3 - x, y])

    def hessians(points: Floats, rows: Array) -> Floats:
        return np.stack([np.diag([3 * x**2 - 1, 1.0]) for x, _ in points])

    start = np.array([[1e-5, 0.4], [-1e-5, 0.4]])
    first = positive_inverses(hessians(start, np.arange(2)))
    found = descend(saddle, start, first, 1e-9, hessians=hessians)
    assert_allclose(found.points, [[1, 0], [-1, 0]], atol=1e-8)


def test_inverses_are_those_of_matrices_made_positive() -> None:
    rng = np.random.default_rng(4)
    axes = np.linalg.qr(rng.standard_normal((5, 5)))[0]
    values = np.array([[1, 2, 3, 4, 5], [-2, 1, 3, -0.5, 1]])
    found = positive_inverses((axes * values[:, None]) @ axes.T)
    assert_allclose(found, (axes / np.abs(values)[:, None]) @ axes.T, atol=1e-12)
    flat = positive_inverses(np.zeros((1, 2, 2)))
    assert np.isfinite(flat).all()
    assert positive_inverses(np.empty((0, 3, 3))).shape == (0, 3, 3)
