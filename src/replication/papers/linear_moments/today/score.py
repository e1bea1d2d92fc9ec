"""The referee: what share of the target's variance each regression leaves on held-out records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned
from replication.common.today.rows import tabulate
from replication.papers.linear_moments.today.records import TESTED, WEIGHTS, draw_linear, split_records
from replication.papers.linear_moments.today.settings import Release
from replication.randomness import Trial
from unveil.types import Array, Floats


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Release) -> pd.DataFrame:
    """A row a data set, mechanism, level and number of records; of the synthetic set the model is least squares."""
    rows = [row for trial in trials for row in _judge(learned, fields, trial, settings)]
    return tabulate(rows, measure="share of variance left")


def _judge(learned: Learned, fields: Fields, trial: Trial, settings: Release) -> Iterator[dict[str, object]]:
    found = {key: rows for arm in learned.values() for key, rows in arm[trial.number].items()}
    found["linear", "least_squares"] = np.append(0.0, WEIGHTS)[None]
    for dataset, sizes in settings.sizes.items():
        if dataset == "linear":
            test, level, most = draw_linear(TESTED, trial.rng_of(dataset)), 0.0, max(sizes)
        else:
            train, test = split_records(fields, dataset, trial)
            level, most = float(train[:, -1].mean()), len(train)
        for key, weights in found.items():
            if key[0] == dataset:
                private = len(key) == 3
                counts = [min(n, most) for n in sizes] if private else [most]
                for n, row in zip(counts, weights, strict=True):
                    yield {
                        "dataset": dataset,
                        "method": key[1],
                        "unit": "record" if private else "none",
                        "epsilon": settings.epsilons[int(key[2])] if private else np.inf,
                        "n": n,
                        "trial": trial.number,
                        "error": left_over(test, row, level),
                    }


def left_over(test: Array, weights: Floats, level: float) -> float:
    """The squared error of predictions, cut to the target's range, as a share of that of the training mean."""
    predicted = np.clip(test[:, :-1] @ weights, -1, 1)
    return float(((test[:, -1] - predicted) ** 2).sum() / ((test[:, -1] - level) ** 2).sum())
