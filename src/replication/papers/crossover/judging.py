"""The referee's side of both crossover figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from replication.papers.crossover.veiling import positives
from replication.papers.mean_operator.tasks import label_signs
from replication.randomness import Trial
from unveil.types import Array, Arrays

COLUMNS = ["dataset", "task", "estimator", "epsilon", "n", "trial", "error", "positive_fraction", "base_rate"]


def errors(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    epsilons: Sequence[float],
    fractions: Sequence[float],
) -> pd.DataFrame:
    """Task `classify`: share of wrong labels; `ratio`: L1 distance of class ratios, a row a test set.

    `base_rate` is what guessing makes of a task: the rarer class's share, or the distance from an even ratio.
    """
    parts = [
        part
        for arm in learned.values()
        for trial, arrays in zip(trials, arm, strict=True)
        for part in _trial(arrays, fields, epsilons, fractions, trial.number)
    ]
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def _trial(
    arrays: Arrays,
    fields: Mapping[str, Arrays],
    epsilons: Sequence[float],
    fractions: Sequence[float],
    trial: int,
) -> Iterator[pd.DataFrame]:
    for name in (name for name in arrays if name.endswith("/labels")):
        dataset, estimator, _ = name.split("/")
        about = {"dataset": dataset, "estimator": estimator, "trial": trial}
        sizes, set_size = arrays[f"{dataset}/sizes"], int(arrays[f"{dataset}/set_size"])
        truth = label_signs(dataset, fields, arrays[f"{dataset}/test"]) > 0
        wrong = np.mean(arrays[name] != truth, axis=-1)
        rarer = min(truth.mean(), 1 - truth.mean())
        yield _grid(wrong, epsilons, sizes).assign(**about, task="classify", base_rate=rarer)
        for k, count in enumerate(positives(fractions, set_size)):
            share = count / set_size
            gap = 2 * np.abs(arrays[f"{dataset}/{estimator}/ratios"][..., k] - share)
            told = {"positive_fraction": fractions[k], "base_rate": abs(2 * share - 1)}
            yield _grid(gap, epsilons, sizes).assign(**about, task="ratio", **told)


def _grid(errors: Array, epsilons: Sequence[float], sizes: Array) -> pd.DataFrame:
    """One row an ε and n."""
    levels = {
        "epsilon": np.repeat(np.asarray(epsilons, dtype=float), len(sizes)),
        "n": np.tile(sizes, len(epsilons)),
    }
    return pd.DataFrame({**levels, "error": errors.ravel(), "positive_fraction": np.nan})
