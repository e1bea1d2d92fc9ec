"""Misprints of the spread paper around its likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from unveil.mechanisms.flips import LabelFlips

FLIPS = LabelFlips(0.3, 0.1).matrix
GRID = np.linspace(0.001, 0.999, 999)


def test_the_law_of_the_reports_sums_over_the_truth_only() -> None:
    """(18): P p is a law; Σ_j P_jj p_j, with one index for report and truth, is the same for every report."""
    truth = np.array([0.6, 0.4])
    corrected, printed = FLIPS @ truth, np.full(2, np.diag(FLIPS) @ truth)
    assert corrected.sum() == pytest.approx(1)
    assert printed.sum() == pytest.approx(2 * (0.7 * 0.6 + 0.9 * 0.4))
    reports = LabelFlips(0.3, 0.1).release(np.repeat([0, 1], [60_000, 40_000]), np.random.default_rng(1))
    assert abs(reports.mean() - corrected[1]) < 4.9 / np.sqrt(4 * 100_000)
    assert abs(reports.mean() - printed[1]) > 0.2


def test_without_the_tilde_the_divergence_fits_the_noisy_votes() -> None:
    """(19): the printed divergence is least at the noisy share, the corrected one at the truth."""
    share = 0.4
    noisy = FLIPS @ [1 - share, share]
    plain = np.column_stack([1 - GRID, GRID])
    printed, corrected = (-(np.log(laws) @ noisy) for laws in (plain, plain @ FLIPS.T))
    assert GRID[np.argmin(corrected)] == pytest.approx(share, abs=1e-9)
    assert GRID[np.argmin(printed)] == pytest.approx(noisy[1], abs=1e-3)
    assert abs(noisy[1] - share) > 0.1


def test_the_limit_is_that_of_the_spread_likelihood() -> None:
    """(30): many clean and noisy votes; only the spread likelihood of the noisy ones tends to the stated limit."""
    n, share, theta = 400_000, 0.4, 0.9
    rng = np.random.default_rng(2)
    votes = (rng.random(n) < share).astype(np.uint8)
    reports = LabelFlips(0.3, 0.1).release(votes, rng)
    model = np.array([1 - theta, theta])
    limit = float(FLIPS @ [1 - share, share] @ np.log(FLIPS @ model))
    clean, spread = float(np.log(model)[votes].mean()), np.log(FLIPS @ model)[reports]
    assert abs(spread.mean() - limit) < 4.9 * spread.std() / np.sqrt(n)
    assert abs(clean - limit) > 0.3
