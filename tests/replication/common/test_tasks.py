"""What the figures of the mean operator share: tasks, splits, and choices."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from mean_operator_world import DATASETS, fields
from replication.common.tasks import features, is_test, signs, training
from replication.papers.mean_operator import settings
from replication.papers.mean_operator.scoring import held_out
from replication.randomness import Trial
from unveil.estimators.statistics.losses import LOSSES, OTHER_LOSSES


def trial(number: int, stage: str = "learn") -> Trial:
    return Trial(1, "mean_operator", "release", stage, stage, number)


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_task_has_features_and_signs(dataset: str) -> None:
    X, y = features(dataset, fields()), signs(dataset, fields())
    assert len(X) == len(y)
    assert set(y) == {-1, 1}
    labels = next(array for name, array in fields()[dataset].items() if name.endswith("labels"))
    assert np.array_equal(y > 0, labels > 0)


@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("shuffled", [False, True])
def test_who_learns_and_who_is_held_out_part_the_records(dataset: str, shuffled: bool) -> None:
    X, rows = training(dataset, fields(), trial(0), shuffled=shuffled)
    everybody = features(dataset, fields())
    test = is_test(dataset, fields(), len(everybody), trial(0, "score"))
    assert np.array_equal(np.sort(rows), np.flatnonzero(~test))
    assert np.array_equal(rows, np.sort(rows)) != shuffled
    assert np.array_equal(X, everybody[rows])
    unseen, truth, majority = held_out(dataset, fields(), trial(0))
    assert np.array_equal(unseen, everybody[test])
    assert np.array_equal(truth, signs(dataset, fields())[test])
    assert majority == pytest.approx(max(np.mean(truth == 1), np.mean(truth == -1)))


def test_splits_are_the_official_ones_or_the_trials_own() -> None:
    assert is_test("census", fields(), 900, trial(0)).sum() == 300
    split = is_test("breast_cancer", fields(), 300, trial(0))
    assert split.sum() == 90
    assert np.array_equal(split, is_test("breast_cancer", fields(), 300, trial(0, "score")))
    assert not np.array_equal(split, is_test("breast_cancer", fields(), 300, trial(1)))


def test_what_can_be_chosen_is_what_there_is() -> None:
    assert get_args(settings.Loss) == tuple(LOSSES)
    assert get_args(settings.OtherLoss) == tuple(OTHER_LOSSES)
