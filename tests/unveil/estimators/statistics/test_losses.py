"""The losses against sympy and against differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

from refusals import refused
from unveil.estimators.statistics.losses import (
    CAUCHY,
    LINEAR,
    LOSSES,
    OTHER_LOSSES,
    LinearOddLoss,
    absolute_loss,
    linear_odd_loss,
)

x = sp.Symbol("x", real=True)
rho = sp.Symbol("rho", positive=True)
GRID = np.linspace(-30, 30, 2401)

#: name: (loss, even part as table 1 prints it, a)
SYMBOLIC: dict[str, tuple[Any, Any, Any]] = {
    "logistic": (sp.log(1 + sp.exp(-x)), sp.log(2 + sp.exp(x) + sp.exp(-x)) / 2, sp.Integer(1)),
    "square": ((1 - x) ** 2, 1 + x**2, sp.Integer(4)),
    "matsushita": (sp.sqrt(1 + x**2) - x, sp.sqrt(1 + x**2), sp.Integer(2)),
    "absolute": (rho * sp.Abs(x) - rho * x + 1, rho * sp.Abs(x) + 1, 2 * rho),
    "linear": (-x, sp.Integer(0), sp.Integer(2)),
    "modified_huber": (
        sp.Piecewise((-4 * x, x < -1), ((1 - x) ** 2, x <= 1), (0, True)),
        sp.Piecewise((1 + x**2, sp.Abs(x) <= 1), (2 * sp.Abs(x), True)),
        sp.Integer(4),
    ),
    "cauchy": (sp.log(1 + x**2) - x, sp.log(1 + x**2), sp.Integer(2)),
}


def is_zero(expression: Any) -> bool:
    """Zero on either side of every point where a piece ends."""
    pieces = [(-sp.oo, -1), (-1, 0), (0, 1), (1, sp.oo)]
    for low, high in pieces:
        t = sp.Symbol("t", positive=True)
        inside = high - t if low == -sp.oo else low + t if high == sp.oo else low + (high - low) / (1 + t)
        if sp.simplify(sp.expand_log(sp.piecewise_fold(expression.subs(x, inside)), force=True)) != 0:
            return False
    return True


def test_every_loss_has_a_symbolic_form() -> None:
    assert set(SYMBOLIC) == set(LOSSES)


@pytest.mark.parametrize("name", SYMBOLIC)
def test_theorem_3_holds_symbolically(name: str) -> None:
    loss, even, a = SYMBOLIC[name]
    if name == "logistic":
        # sympy needs the exponentials of both sides: e^{f(x) − f(−x)} = e^{−x}.
        assert sp.simplify(sp.exp(loss) / sp.exp(loss.subs(x, -x)) - sp.exp(-a * x)) == 0
        assert sp.simplify(sp.exp(loss + loss.subs(x, -x)) - sp.exp(2 * even)) == 0
        return
    assert is_zero(loss - loss.subs(x, -x) + a * x)
    assert is_zero((loss + loss.subs(x, -x)) / 2 - even)


@pytest.mark.parametrize("name", LOSSES)
def test_code_and_symbols_agree(name: str) -> None:
    loss, even, a = (part.subs(rho, 1) for part in SYMBOLIC[name])
    points = [-30.0, -7.5, -1.25, -0.5, 0.0, 0.75, 1.5, 6.0, 30.0]
    mine = LOSSES[name]
    assert mine.a == float(a)
    for point in points:
        here = np.array([point])
        assert_allclose(mine(here)[0], float(loss.subs(x, point).evalf(30)), rtol=1e-13, atol=1e-14)
        assert_allclose(mine.even(here)[0], float(even.subs(x, point).evalf(30)), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("loss", [*LOSSES.values(), absolute_loss(2.5)], ids=lambda loss: loss.name)
def test_derivatives_match_differences(loss: LinearOddLoss) -> None:
    away = GRID[(np.abs(GRID) > 1e-3) & (np.abs(np.abs(GRID) - 1) > 1e-3)]
    h = 1e-5
    assert_allclose(loss.slope(away), (loss.even(away + h) - loss.even(away - h)) / (2 * h), atol=1e-8)
    assert_allclose(loss.curvature(away), (loss.slope(away + h) - loss.slope(away - h)) / (2 * h), atol=1e-8)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=lambda loss: loss.name)
def test_declared_bounds_are_tight(loss: LinearOddLoss) -> None:
    assert np.max(loss.curvature(GRID)) <= loss.steepest
    if loss.growth < np.inf:
        far = np.array([1e9])
        assert_allclose(loss.even(far) / far, loss.growth, atol=1e-7)
        if loss.convex:
            assert np.max(np.abs(np.diff(loss(GRID)) / np.diff(GRID))) <= loss.lipschitz + 1e-12
    else:
        assert loss.even(np.array([1e9]))[0] > 1e15
    assert loss.convex == (loss is not CAUCHY)


def test_extreme_margins_stay_finite() -> None:
    far = np.array([-1e8, -800.0, 800.0, 1e8])
    for loss in LOSSES.values():
        for part in (loss, loss.even, loss.slope, loss.curvature):
            assert np.all(np.isfinite(part(far))), loss.name


@pytest.mark.parametrize("name", OTHER_LOSSES)
def test_losses_outside_the_theorem_are_outside(name: str) -> None:
    loss, z = OTHER_LOSSES[name], np.linspace(0.1, 4, 40)
    ratio = (loss(z) - loss(-z)) / z
    assert np.ptp(ratio) > 0.1


def test_kink_is_smoothed_from_above_within_its_width() -> None:
    loss = absolute_loss(1.5)
    assert loss.smoothed is not None
    for width in (1.0, 1e-3, 1e-8):
        gap = loss.smoothed(width).even(GRID) - loss.even(GRID)
        assert np.all(gap >= -1e-14)
        assert np.max(gap) <= 1.5 * width * (1 + 1e-9) + 1e-14


test_bad_losses_are_refused = refused(
    (linear_odd_loss, "hinge", "loss must be"),
    (absolute_loss, 0, "rho must be positive"),
    (lambda: replace(LINEAR, a=float("nan")), "a must be"),
)


def test_the_symbolic_check_can_fail() -> None:
    hinge = sp.Max(0, 1 - x).rewrite(sp.Piecewise)
    assert not is_zero(hinge - hinge.subs(x, -x) + x)
    assert not is_zero((1 - x) ** 2 - (1 + x) ** 2 + 3 * x)


@pytest.mark.parametrize("name", ["logistic", "matsushita", "modified_huber", "cauchy"])
def test_single_precision_stays_single_and_near_double(name: str) -> None:
    loss = LOSSES[name]
    margins = np.linspace(-30, 30, 601)
    for curve in (loss.even, loss.slope):
        near = curve(margins.astype(np.float32))
        assert near.dtype == np.float32
        assert_allclose(near, curve(margins), rtol=1e-5, atol=1e-6)
