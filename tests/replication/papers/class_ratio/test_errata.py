"""Errors of the class-ratio paper that no test of a library function shows."""

from __future__ import annotations

import numpy as np
from numpy.random import default_rng
from scipy.stats import norm

from checks import FALSE_ALARM
from replication.papers.class_ratio.sets import skewed_counts
from unveil.mechanisms.counts import draw_dirichlet
from unveil.numerics.beta import log_gamma_step
from unveil.privacy.pair import loss_tail

#: Fives among the 60,000 training digits of MNIST, its rarest class.
FIVES = 5_421


def test_delta_is_the_mass_outside_the_region() -> None:
    """(9): the share of draws whose loss exceeds ε, counted, is the tail beyond Θ_ij and far from the mass inside."""
    counts, scale, epsilon, n = np.array([60.0, 90.0, 200.0]), 0.5, 0.8, 200_000
    thetas = draw_dirichlet(np.tile(scale * counts, (n, 1)), default_rng(3))
    log_lambda = log_gamma_step(scale * 60, scale) - log_gamma_step(scale * 91, scale)
    losses = scale * np.log(thetas[:, 0] / thetas[:, 1]) - log_lambda
    outside = float((losses > epsilon).mean())
    wide = norm.isf(FALSE_ALARM) / np.sqrt(4 * n)
    assert abs(outside - loss_tail(60.0, 90.0, scale, epsilon)) < wide
    assert outside < 0.1
    assert abs((losses <= epsilon).mean() - loss_tail(60.0, 90.0, scale, epsilon)) > 0.8


def test_at_rho_one_tenth_ten_classes_make_equal_sets() -> None:
    assert np.linalg.matrix_rank(skewed_counts(10, 0.1, 3000)) == 1
    assert np.ptp(skewed_counts(10, 0.1, 3000)) == 0
    assert np.linalg.matrix_rank(skewed_counts(10, 0.05, 3000)) == 10


def test_twenty_disjoint_sets_of_digits_need_more_fives_than_there_are() -> None:
    needed = 2 * skewed_counts(10, 0.05, 3000).sum(axis=0)
    assert (needed == 6000).all()
    assert needed.min() > FIVES
