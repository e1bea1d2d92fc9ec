"""What the referees share: the records held out, and the frame of the scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from replication.arrays import Fields, Named
from replication.common.tasks import features, is_test, signs
from replication.papers.mean_operator.settings import Dataset
from replication.randomness import Trial
from unveil.types import Array, Floats

Row: TypeAlias = dict[str, Any]


def held_out(dataset: Dataset, fields: Fields, trial: Trial) -> tuple[Floats, Array, float]:
    """Features and labels that nobody learnt from, and what guessing the commoner class gets right."""
    X = features(dataset, fields)
    test = is_test(dataset, fields, len(X), trial)
    truth = signs(dataset, fields)[test]
    return X[test], truth, majority(truth)


def majority(truth: Array) -> float:
    """The commoner class's share."""
    return float(max(np.mean(truth > 0), np.mean(truth < 0)))


def frame(
    learned: Mapping[str, Sequence[Named]],
    trials: Sequence[Trial],
    rows: Callable[[Named, Trial], Iterable[Row]],
    columns: Sequence[str],
) -> pd.DataFrame:
    """The scores of every trial of every arm; an arm may have fewer trials than its figure."""
    found = [
        row for arm in learned.values() for trial, part in zip(trials, arm, strict=False) for row in rows(part, trial)
    ]
    return pd.DataFrame(found)[list(columns)]
