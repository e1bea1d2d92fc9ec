"""The three public calls of each protocol, from an owner's data to a model, against what is learned in the clear."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression, LogisticRegression

import unveil
from unveil.protocols.base import Release
from unveil.types import Array

RNG = default_rng(0)
N = 20_000
X = RNG.uniform(0, 1, (N, 3))
THETA = np.array([3.0, -2.0, 1.0])
CHANCES = 1 / (1 + np.exp(-(4 * X @ THETA - 4.0)))
Y = (RNG.random(N) < CHANCES).astype(int)
TEST = default_rng(1).uniform(0, 1, (5000, 3))
TRUTH = (TEST @ THETA > 1.0).astype(int)


def sent(release: Release, folder: Path) -> Release:
    """By file, as between two who share nothing else."""
    release.save(folder / "release.unveil")
    return Release.load(folder / "release.unveil")


def accuracy(predicted: Array, truth: Array = TRUTH) -> float:
    return float(np.mean(predicted == truth))


@pytest.mark.parametrize("columns", [("no", "yes"), (0, 1)])
def test_labels_kept_private(columns: tuple[str | int, str | int], tmp_path: Path) -> None:
    """Twenty thousand labels at ε = 1: no worse than the clear ones by more than a hundredth."""
    names = np.array(columns)
    release = unveil.GeometricMeanOperator(1.0).publish((X, names[Y]), intercept=True, classes=columns)
    model = unveil.MeanOperatorClassifier().fit(sent(release, tmp_path), X)
    clear = LogisticRegression(C=1e3).fit(X, Y)
    assert accuracy(model.predict(TEST), names[TRUTH]) > accuracy(clear.predict(TEST)) - 0.03
    assert model.classes_.tolist() == list(columns)
    # The same penalty on the clear labels, by another solver: what is left is noise and the grid.
    twin = LogisticRegression(C=1 / (2 * model.l2_ * N), fit_intercept=False, tol=1e-8)
    own = twin.fit(np.column_stack([X, np.ones(N)]), Y).coef_[0]
    assert_allclose(np.append(model.coef_[0], model.intercept_), own, atol=0.15 * np.abs(own).max())


@pytest.mark.parametrize("kind", ["coordinate", "per value", "exact"])
def test_regression_from_products(kind: str, tmp_path: Path) -> None:
    target = np.clip(X @ [0.5, 0.2, 0.1] + 0.1, 0, 1)
    data = np.concatenate([X] * 10), np.concatenate([target] * 10)
    if kind == "exact":
        release = unveil.ExactProducts(20.0).publish(data, intercept=True)
    elif kind == "coordinate":
        release = unveil.CoordinateRelease(40.0).publish(data, default_rng(2), intercept=True)
    else:
        release = unveil.PerValueRelease(60.0, 14.0).publish(data, default_rng(2), intercept=True)
    model = unveil.MomentRegression().fit(sent(release, tmp_path))
    clear = LinearRegression().fit(X, target)
    if model.rank_ == 4:
        low, high = model.intervals(1 - 1e-7).T
        weights = np.append(clear.coef_, clear.intercept_)
        assert ((low < weights) & (weights < high)).all()
    assert 1 - np.var(model.predict(TEST) - clear.predict(TEST)) / np.var(clear.predict(TEST)) > 0.8


def test_class_ratios_of_sets(tmp_path: Path) -> None:
    rng = default_rng(3)
    labels = [rng.random(400) < share for share in np.linspace(0.1, 0.9, 6)]
    bags = [rng.normal(2.0 * one[:, None], 1.0, (400, 2)) for one in labels]
    counts = [[int((~one).sum()), int(one.sum())] for one in labels]
    release = sent(unveil.GeometricCounts(1.0).publish(counts), tmp_path)
    model = unveil.MMDClassRatio([1.0], "unbiased").fit(release, bags)
    unknown = rng.normal(2.0 * (rng.random(2000) < 0.35)[:, None], 1.0, (2000, 2))
    assert abs(model.predict(unknown)[1] - 0.35) < 0.1
    low, high = model.interval(unknown)
    narrow = unveil.MMDClassRatio([1.0], "unbiased", noise=0.0).fit(release, bags).interval(unknown)
    assert (high - low > narrow[1] - narrow[0]).all(), "the noise of the release widens the interval"
    # By hand: the noise of each set's shares is √2·2/ε·√½ over its 400 members, to a geometric law's rounding.
    assert_allclose(model.noise_, np.sqrt(2) * 2 * np.sqrt(0.5) / 400, rtol=0.05)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kind", ["real", "binary"])
def test_noisy_records(kind: str, tmp_path: Path) -> None:
    rng = default_rng(5)
    if kind == "real":
        veil, clean, test = unveil.NoisyRecords((0.1, 0.3), 0.04, noise="gaussian"), X, TEST
        release = veil.publish((clean, Y), rng)
        model = unveil.SpreadLogisticRegression(prior="normal", fit_intercept=True).fit(sent(release, tmp_path))
    else:
        veil, clean, test = unveil.NoisyRecords(0.2, 0.1, testing=True), (X > 0.5).astype(int), (TEST > 0.5).astype(int)
        release = veil.publish((clean, Y), rng)
        model = unveil.SpreadLogisticRegression(fit_intercept=True, rate=5.0, random_state=0)
        model.fit(sent(release, tmp_path))
    clear = LogisticRegression(C=1e3).fit(clean, Y)
    assert np.abs(model.predict_proba(test) - clear.predict_proba(test)).mean() < 0.1
    naive = LogisticRegression(C=1e3).fit(release.arrays["features"], release.arrays["labels"])
    # Who ignores the noise learns weights that are too small; the spread likelihood's are nearer to the truth.
    assert np.linalg.norm(model.coef_ - clear.coef_) < np.linalg.norm(naive.coef_ - clear.coef_)
