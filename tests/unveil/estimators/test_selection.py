"""Choosing by a release alone finds what the clean data would have chosen."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from unveil import (
    GeometricCounts,
    GeometricMeanOperator,
    MeanOperatorClassifier,
    MMDClassRatio,
    NoisyRecords,
    SpreadLogisticRegression,
    choose_model,
)
from unveil.errors import UnveilError
from unveil.types import Array, Floats


def labelled(n: int, d: int = 4) -> tuple[Floats, Array]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    return X, (rng.random(n) < expit(3 * X[:, 0])).astype(int)


@pytest.mark.filterwarnings("ignore::unveil.errors.TooNoisy")
@pytest.mark.parametrize("epsilon", [0.02, 5.0])
def test_the_ridge_of_a_sum_is_chosen_nearly_as_well_as_by_the_clean_labels(epsilon: float) -> None:
    X, y = labelled(2000)
    rng, l2s = np.random.default_rng(1), (1e-4, 1e-2, 1.0, 1e3)
    models = [MeanOperatorClassifier(l2=l2) for l2 in l2s]
    release = GeometricMeanOperator(epsilon, testing=True).publish((X, 2 * y - 1), rng)
    found = choose_model(models, release, X, random_state=0)
    chances = [model.fit(release, X).predict_proba(X)[np.arange(len(y)), y] for model in models]
    risks = [-np.mean(np.log(np.maximum(each, 1e-9))) for each in chances]
    chosen = risks[l2s.index(found.model.l2)]
    assert chosen <= min(risks) + 0.1 * (max(risks) - min(risks))
    assert found.errors.shape == (4,)


@pytest.mark.filterwarnings("ignore::unveil.errors.TooNoisy")
def test_records_are_held_out() -> None:
    X, y = labelled(4000)
    release = NoisyRecords(0.2, 0.0, "gaussian", testing=True).publish((X, y), np.random.default_rng(2))
    models = [SpreadLogisticRegression(l2=l2) for l2 in (1e6, 1e-3)]
    found = choose_model([SpreadLogisticRegression(l2=1e-3), models[0]], release, random_state=0)
    assert found.model.l2 == 1e-3
    # A fifth is flipped: who knew the law would be wrong about as often.
    right = np.mean((X[:, 0] > 0) == y)
    assert found.errors[0] == pytest.approx(0.8 * (1 - right) + 0.2 * right, abs=0.03)


def test_sets_are_held_out() -> None:
    rng = np.random.default_rng(3)
    counts = np.array([[20, 180], [60, 140], [100, 100], [140, 60], [180, 20], [90, 110]])
    bags = [rng.normal(np.repeat([0.0, 2.0], row)[:, None], 1.0, (200, 1)) for row in counts]
    release = GeometricCounts(2.0, testing=True).publish(counts, rng)
    models = [MMDClassRatio(bandwidths=[width]) for width in (1e-6, 1.0)]
    found = choose_model(models, release, bags, folds=3, random_state=0)
    assert list(found.model.bandwidths) == [1.0]
    assert found.errors[1] < 0.3 < found.errors[0]


def test_what_cannot_be_chosen_by_is_refused() -> None:
    X, y = labelled(100)
    release = GeometricMeanOperator(1.0, testing=True).publish((X, 2 * y - 1), np.random.default_rng(1))
    model = MeanOperatorClassifier(l2=0.1)
    with pytest.raises(UnveilError, match="two or more"):
        choose_model([model], release, X)
    with pytest.raises(UnveilError, match="l2 above 0"):
        choose_model([model, MeanOperatorClassifier()], release, X)
