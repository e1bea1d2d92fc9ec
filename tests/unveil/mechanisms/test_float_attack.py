"""Floating-point Laplace noise betrays its value through its last bits; exact noise on whole numbers does not.

Mironov's (2012) attack: numpy turns one of 2⁵³ uniforms U into scale·log(2U), or −scale·log(2 − 2U), and adds it to the
value. Far from all doubles are hit, and which ones depends on the value. The attack takes an output, solves for U under
either value and looks whether any uniform nearby gives exactly this output.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.random import Generator, default_rng

from unveil.mechanisms.exact_operator import GeometricMeanOperator
from unveil.mechanisms.mean_operator import MeanOperatorRelease
from unveil.privacy.audit import LogRatio, audit_release
from unveil.types import Array, Floats

#: Uniforms that are tried on each side of the solution.
REACH = 8
GRAIN = 2.0**-53
ALPHA, RECORDS = 0.5, 10
X = np.ones((RECORDS, 1))
PLUS, OTHER = np.ones(RECORDS), np.r_[-1.0, np.ones(RECORDS - 1)]
HERE, THERE = float(PLUS @ X[:, 0]) / RECORDS, float(OTHER @ X[:, 0]) / RECORDS
FLOAT, EXACT = MeanOperatorRelease(ALPHA, "laplace"), GeometricMeanOperator(ALPHA, testing=True)
SCALE = FLOAT.scale(RECORDS, 1)


@njit(cache=True)
def reachable(outputs: Floats, value: float, scale: float) -> Array:
    """Whether numpy's Laplace noise of this scale, added to `value`, can give each of the outputs."""
    found = np.zeros(len(outputs), np.bool_)
    for i in range(len(outputs)):
        noise = outputs[i] - value
        middle = 0.5 * math.exp(-abs(noise) / scale)
        share = middle if noise < 0 else 1.0 - middle
        start = math.floor(share / GRAIN)
        for step in range(-REACH, REACH + 1):
            uniform = (start + step) * GRAIN
            if uniform <= 0.0 or uniform >= 1.0:
                continue
            if uniform >= 0.5:
                drawn = 0.0 - scale * math.log(2.0 - uniform - uniform)
            else:
                drawn = 0.0 + scale * math.log(uniform + uniform)
            if value + drawn == outputs[i]:
                found[i] = True
    return found


def porous_ratio(here: float, there: float, scale: float) -> LogRatio:
    """A log-ratio for the audit: +1 where only the first value can have led to an output, −1 where only the other."""

    def score(outputs: Array) -> Floats:
        flat = np.ascontiguousarray(outputs, dtype=np.float64).reshape(-1)
        return reachable(flat, here, scale) * 1.0 - reachable(flat, there, scale) * 1.0

    return score


def porous(labels: Array, n: int, rng: Generator) -> Array:
    value = float(labels @ X[:, 0]) / RECORDS
    return FLOAT.perturb(np.full((n, 1), value), RECORDS, rng)[:, 0]


def solid(labels: Array, n: int, rng: Generator) -> Array:
    return EXACT.release_many(X, labels, n, rng)[:, 0]


def test_the_attack_knows_numpys_laplace() -> None:
    """Every output is reachable from the value that it came from, and many are not from the neighbour's."""
    outputs = porous(PLUS, 20_000, default_rng(1))
    assert reachable(outputs, HERE, SCALE).all()
    assert 0.05 < 1 - reachable(outputs, THERE, SCALE).mean() < 1


@pytest.mark.parametrize("learned", [False, True], ids=["attack", "learned"])
def test_the_audit_catches_floating_point_noise_and_not_exact_noise(learned: bool) -> None:
    ratio: Any = None if learned else porous_ratio(HERE, THERE, SCALE)

    def level(release: Any) -> float:
        audit = audit_release(release, PLUS, OTHER, n=40_000, rng=default_rng(2), log_ratio=ratio)
        return audit.epsilon_low

    if not learned:
        assert level(porous) > 4 * ALPHA
    assert level(solid) <= EXACT.tight_epsilon(X)


def test_the_same_numbers_come_out_of_both_neighbours() -> None:
    """The support of exact noise is the whole grid, whatever the labels: no output is impossible for either."""
    outputs = [np.unique(solid(labels, 200_000, default_rng(seed))) for seed, labels in enumerate((PLUS, OTHER))]
    unit = 2 / (RECORDS * EXACT.steps)
    middle = (HERE + THERE) / 2
    grids = [np.rint((each - HERE) / unit) for each in outputs]
    for grid, each in zip(grids, outputs, strict=True):
        np.testing.assert_allclose(grid * unit + HERE, each, atol=1e-12)
        near = grid[np.abs(each - middle) < SCALE]
        assert len(near) == len(np.unique(near)) == np.ptp(near) + 1
