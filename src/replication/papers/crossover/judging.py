"""The referee of both crossover figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from replication.arrays import Fields, Named
from replication.papers.crossover.settings import Score
from replication.papers.crossover.veiling import positives
from replication.papers.mean_operator.tasks import signs
from replication.randomness import Trial
from unveil.types import Array

COLUMNS = ["dataset", "task", "estimator", "epsilon", "n", "trial", "error", "positive_fraction", "base_rate"]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """Task `classify`: share of wrong labels; `ratio`: L1 distance of class ratios, a row a test set.

    `base_rate` is what guessing makes of a task: the rarer class's share, or the distance from an even ratio.
    """
    parts = [
        part.assign(trial=trial.number)
        for arm in learned.values()
        for trial, arrays in zip(trials, arm, strict=True)
        for part in _errors(arrays, fields, settings)
    ]
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def _errors(arrays: Named, fields: Fields, settings: Score) -> Iterator[pd.DataFrame]:
    for dataset, estimator in product(settings.datasets, settings.estimators):
        about = {"dataset": dataset, "estimator": estimator}
        grid = settings.epsilons, arrays[dataset, "sizes"]
        truth = signs(dataset, fields)[arrays[dataset, "test"]] > 0
        wrong = np.mean(arrays[dataset, estimator, "labels"] != truth, axis=-1)
        rarer = min(truth.mean(), 1 - truth.mean())
        yield _grid(wrong, *grid).assign(**about, task="classify", base_rate=rarer)
        set_size = int(arrays[dataset, "set_size"])
        for k, count in enumerate(positives(settings.fractions, set_size)):
            share = count / set_size
            gap = 2 * np.abs(arrays[dataset, estimator, "ratios"][..., k] - share)
            told = {"positive_fraction": settings.fractions[k], "base_rate": abs(2 * share - 1)}
            yield _grid(gap, *grid).assign(**about, task="ratio", **told)


def _grid(errors: Array, epsilons: Sequence[float], sizes: Array) -> pd.DataFrame:
    """One row an ε and n."""
    levels = {"epsilon": np.repeat(np.asarray(epsilons, dtype=float), len(sizes)), "n": np.tile(sizes, len(epsilons))}
    return pd.DataFrame({**levels, "error": errors.ravel(), "positive_fraction": np.nan})
