"""The public side of the tasks."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mean_operator_world import fields
from replication.papers.mean_operator.tasks import PublicFeatures, is_test, label_signs, task_rows
from replication.randomness import Trial
from unveil.errors import UnveilError


def trial(number: int, stage: str = "learn") -> Trial:
    return Trial(1, "mean_operator", "release", stage, stage, number)


def test_digits_are_chosen_and_signed() -> None:
    rows = task_rows("mnist", fields())
    digits = fields()["mnist"]["labels"][rows]
    assert set(digits) == {7, 9}
    assert np.array_equal(label_signs("mnist", fields(), rows) > 0, digits == 9)
    assert len(task_rows("census", fields())) == 900


@pytest.mark.parametrize("dataset", ["census", "mnist", "breast_cancer"])
def test_features_have_norm_one_and_a_constant(dataset: str) -> None:
    rows = task_rows(dataset, fields())
    X = PublicFeatures().of(dataset, fields(), rows)
    assert_allclose(np.linalg.norm(X, axis=1), 1)
    assert np.all(X[:, -1] > 0)


def test_scaling_a_record_keeps_its_side() -> None:
    rows = task_rows("census", fields())
    X = PublicFeatures().of("census", fields(), rows)
    plain = np.column_stack([fields()["census"]["features"], np.ones(900)])
    theta = np.random.default_rng(0).normal(size=7)
    assert np.array_equal(X @ theta > 0, plain @ theta > 0)


def test_components_match_a_singular_value_decomposition() -> None:
    rows = task_rows("mnist", fields())
    X = PublicFeatures().of("mnist", fields(), rows)
    pixels = fields()["mnist"]["images"][rows] / 255
    pixels = pixels - pixels.mean(axis=0)
    left, values, _ = np.linalg.svd(pixels, full_matrices=False)
    theirs = left[:, :50] * values[:50] / values[0] * np.sqrt(len(rows))
    ours = X[:, :-1] / X[:, -1:]  # the constant tells the norm that was divided by
    assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-3)


def test_features_are_kept_for_the_same_records_only() -> None:
    features, rows = PublicFeatures(), task_rows("census", fields())
    first = features.of("census", fields(), rows)
    assert features.of("census", fields(), rows) is first
    assert len(features.of("census", fields(), rows[:10])) == 10
    assert features.of("breast_cancer", fields(), np.arange(5)).shape == (5, 5)


def test_splits_are_the_official_ones_or_the_trials_own() -> None:
    rows = task_rows("census", fields())
    assert is_test("census", fields(), rows, trial(0)).sum() == 300
    cancer = np.arange(300)
    held_out = is_test("breast_cancer", fields(), cancer, trial(0))
    assert held_out.sum() == 90
    assert np.array_equal(held_out, is_test("breast_cancer", fields(), cancer, trial(0, "score")))
    assert not np.array_equal(held_out, is_test("breast_cancer", fields(), cancer, trial(1)))


def test_unknown_data_sets_are_refused() -> None:
    with pytest.raises(UnveilError, match="dataset must be one of"):
        PublicFeatures().of("iris", {"iris": {"features": np.ones((2, 2))}}, np.arange(2))
