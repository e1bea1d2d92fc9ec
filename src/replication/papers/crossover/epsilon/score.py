"""The referee of all crossover figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from replication.arrays import Fields, Named
from replication.common.tasks import features, signs
from replication.papers.crossover.epsilon.settings import Asked
from replication.randomness import Trial

COLUMNS = ["dataset", "task", "estimator", "epsilon", "n", "l2", "trial", "error", "base_rate"]


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Asked
) -> pd.DataFrame:
    """The share of wrong labels, task `classify`; `base_rate` is that of guessing, the rarer class's share."""
    rows = (
        {**row, "trial": trial.number}
        for arm in learned.values()
        for trial, arrays in zip(trials, arm, strict=True)
        for row in _errors(arrays, fields, settings)
    )
    return pd.DataFrame(rows)[COLUMNS]


def _errors(arrays: Named, fields: Fields, settings: Asked) -> Iterator[dict[str, object]]:
    for dataset in settings.datasets:
        test, sizes = arrays[dataset, "test"], arrays[dataset, "sizes"].tolist()
        X, truth = features(dataset, fields)[test], signs(dataset, fields)[test] > 0
        about = {"dataset": dataset, "task": "classify", "base_rate": min(truth.mean(), 1 - truth.mean())}
        fits = [(str(key[1]), int(key[3]), array) for key, array in arrays.items() if key[::2] == (dataset, "theta")]
        for i, epsilon in enumerate(arrays[dataset, "epsilons"].tolist()):
            for name, j, thetas in fits:
                cell = {"estimator": name, "epsilon": epsilon, "n": sizes[j], "l2": arrays[dataset, name, "l2", j][i]}
                yield {**about, **cell, "error": np.mean((X @ thetas[i] > 0) != truth)}
