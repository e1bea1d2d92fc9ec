"""Label mechanisms of today: their exact levels, and what a learner takes from them, by enumeration and by Bayes."""

import numpy as np
import pytest
from numpy.random import default_rng

from replication.common.tuning import Tuning
from replication.papers.mean_operator.today.learn import LOSS, _fit_folds
from replication.papers.mean_operator.today.mechanisms import denoise, fold_sums, release_one_hot, release_with_prior
from unveil.estimators.statistics.risk import Design, minimise_statistic

#: A count of n coin flips is off by this many deviations once in a million.
ONCE_IN_A_MILLION = 4.9


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("prior", [0.02, 0.3, 0.5, 0.9, 0.999])
def test_a_prior_makes_reports_right_more_often_at_the_same_level(epsilon: float, prior: float) -> None:
    n, rng = 40_000, default_rng(1)
    shares = {
        label: np.mean(release_with_prior(np.full(n, label), np.full(n, prior), epsilon, rng) == 1) for label in (-1, 1)
    }
    kept = 1 / (1 + np.exp(-epsilon))
    sure = max(prior, 1 - prior) >= kept
    expected = dict.fromkeys((-1, 1), float(prior >= 0.5)) if sure else {1: kept, -1: 1 - kept}
    for label, share in shares.items():
        chance = expected[label]
        assert abs(share - chance) <= ONCE_IN_A_MILLION * np.sqrt(chance * (1 - chance) / n)
    # Right with probability max(kept, largest prior): no ε-private report is right more often.
    right = prior * expected[1] + (1 - prior) * (1 - expected[-1])
    assert right == pytest.approx(max(kept, prior, 1 - prior))


def test_denoised_labels_are_bayes_rule_with_laplace_densities() -> None:
    rng, epsilon = default_rng(2), 0.7
    y = np.where(rng.random(5000) < 0.3, 1, -1)
    noisy = release_one_hot(y, epsilon, rng)
    density = np.exp(-np.abs(noisy[:, None] - np.array([[1.0, 0.0], [0.0, 1.0]])).sum(axis=2) * epsilon / 2)
    expected = (density[:, 1] - density[:, 0]) / density.sum(axis=1)
    np.testing.assert_allclose(denoise(noisy, epsilon), expected, atol=1e-12)
    # Of the noise, the two labels' densities differ by a factor of e^ε at most: 1-norm sensitivity 2 over the scale.
    assert np.abs(np.log(density[:, 1] / density[:, 0])).max() == pytest.approx(epsilon)


def test_soft_labels_of_one_sign_are_labels() -> None:
    rng = default_rng(3)
    X = rng.normal(size=(300, 4))
    y = np.where(X[:, 0] + rng.logistic(size=300) > 0, 1.0, -1.0)
    design, l2 = Design(X), 0.01
    found = _fit_folds(design, fold_sums(X, y, 3), Tuning(l2s=(l2,), folds=3, tolerance=1e-7))
    expected = minimise_statistic(design, LOSS, y @ X / len(X), l2, 1e-9).theta
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_ridge_of_soft_labels_is_the_best_on_folds_left_out() -> None:
    rng = default_rng(4)
    X = rng.normal(size=(90, 3)) / 2
    soft = np.tanh(X[:, 0] + rng.normal(size=90))
    design, l2s = Design(X), (1e-3, 1e-1, 10.0)
    losses = []
    for l2 in l2s:
        loss = 0.0
        for fold in range(3):
            out = np.arange(90) % 3 == fold
            theta = minimise_statistic(design, LOSS, soft[~out] @ X[~out] / np.sum(~out), l2, 1e-9).theta
            margins = X[out] @ theta
            loss += np.sum(
                (1 + soft[out]) / 2 * np.logaddexp(0, -margins) + (1 - soft[out]) / 2 * np.logaddexp(0, margins)
            )
        losses.append(loss)
    best = l2s[int(np.argmin(losses))]
    expected = minimise_statistic(design, LOSS, soft @ X / 90, best, 1e-9).theta
    np.testing.assert_allclose(
        _fit_folds(design, fold_sums(X, soft, 3), Tuning(l2s=l2s, folds=3, tolerance=1e-7)), expected, atol=1e-5
    )
