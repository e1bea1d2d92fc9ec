"""Intervals cover as often as they say, and estimators fit into a notebook: pipelines, real features, pictures.

False alarms: 1e-6 for each coverage.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from checks import assert_covered
from unveil import EMQ, GeometricMeanOperator, MeanOperatorClassifier, SpreadLogisticRegression
from unveil.errors import UnveilError
from unveil.types import Floats

THETA = np.array([1.0, -0.5, 0.3])


@pytest.mark.filterwarnings("ignore::unveil.errors.TooNoisy")
@pytest.mark.parametrize("epsilon", [0.05, 5.0])
def test_weights_from_a_noisy_mean_operator_are_covered(epsilon: float) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 3))
    meant = expit(2 * X @ THETA)
    l2, trials, hits = 0.05, 300, np.zeros(3)
    target = MeanOperatorClassifier(l2=l2).fit_statistic(X, X.T @ (2 * meant - 1) / len(X)).coef_[0]
    veil = GeometricMeanOperator(epsilon, testing=True)
    for _ in range(trials):
        y = np.where(rng.random(len(X)) < meant, 1, -1)
        low, high = MeanOperatorClassifier(l2=l2).fit(veil.publish((X, y), rng), X).intervals().T
        hits += (low <= target) & (target <= high)
    assert_covered(hits, trials, slack=0.01)


@pytest.mark.filterwarnings("ignore::unveil.errors.TooNoisy")
def test_weights_vary_as_they_move_with_the_statistic() -> None:
    """Against differences of the learner: by the noise of the release, and by the chance of labels at these weights."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    release = GeometricMeanOperator(0.5, testing=True).publish((X, rng.choice([-1, 1], 200)), rng)
    model, mu = MeanOperatorClassifier(l2=0.05).fit(release, X), release.arrays["sum"] / 200
    peer, rows = MeanOperatorClassifier(l2=0.05), np.column_stack([X, np.ones(200)])[:, : len(mu)]

    def weights(step: Floats) -> Floats:
        peer.fit_statistic(X, mu + step)
        return np.append(peer.coef_[0], peer.intercept_)[: len(mu)]

    moves = np.column_stack([(weights(step) - weights(-step)) / 2e-4 for step in 1e-4 * np.eye(len(mu))])
    spread = rows.T @ (rows * (1 - np.tanh(model.decision_function(X) / 2) ** 2)[:, None]) / 200**2
    noise = release.arrays["variance"].mean() / 200**2
    assert model.covariance_ is not None
    assert_allclose(model.covariance_, moves @ (spread + noise * np.eye(len(mu))) @ moves.T, rtol=1e-5, atol=1e-9)


def test_a_statistic_alone_says_no_precision() -> None:
    X = np.eye(3)
    with pytest.raises(UnveilError, match="intervals need a release"):
        MeanOperatorClassifier().fit_statistic(X, X.mean(axis=0)).intervals()


def test_ratios_by_emq_are_covered() -> None:
    rng = np.random.default_rng(2)
    y = rng.random(40_000) < 0.5
    model = EMQ(cost=10.0).fit(rng.normal(2.0 * y, 1.0)[:, None], y)
    trials, hits, share = 400, 0.0, 0.3
    for _ in range(trials):
        unknown = rng.random(300) < share
        low, high = model.interval(rng.normal(2.0 * unknown, 1.0)[:, None])
        hits += low[1] <= share <= high[1]
        assert low[0] == pytest.approx(1 - high[1])
    assert_covered(hits, trials, slack=0.01)
    several = model.interval([np.zeros((5, 1)), np.ones((5, 1))])
    assert several[0].shape == (2, 2)


def test_a_pipeline_ends_with_a_release() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(5.0, 10.0, (4000, 3))
    y = np.where((X - 5) @ THETA > 0, "yes", "no")
    scaled = StandardScaler().fit_transform(X)
    release = GeometricMeanOperator(1.0).publish((scaled, y), classes=("no", "yes"))
    piped = make_pipeline(StandardScaler(), MeanOperatorClassifier()).fit(X, release)
    assert_allclose(piped[-1].coef_, MeanOperatorClassifier().fit(release, scaled).coef_)
    assert piped.score(X, y) > 0.95
    with pytest.raises(UnveilError, match="X must"):
        make_pipeline(MeanOperatorClassifier()).fit(X, release)


def test_flipped_labels_take_real_features() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(20_000, 3))
    y = (rng.random(len(X)) < expit(X @ THETA)).astype(int)
    noisy = np.where(rng.random(len(X)) < 0.2, 1 - y, y)
    model = SpreadLogisticRegression(label_flip=0.2).fit(X, noisy)
    clean = LogisticRegression(C=np.inf).fit(X, y)
    assert_allclose(model.coef_, clean.coef_, atol=0.15)
    assert_allclose(SpreadLogisticRegression(label_flip=0.0).fit(X, y).coef_, clean.coef_, atol=0.01)
