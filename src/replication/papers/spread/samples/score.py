"""The bias of few importance samples, the referee: accuracy on clean digits and the length of θ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.spread.digits import accuracy, choose
from replication.randomness import Trial
from unveil.types import Arrays

COLUMNS = ["p_flip", "method", "samples", "labels", "trial", "accuracy", "theta_norm"]


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    p_flips: Sequence[float],
    levels: Mapping[str, Any],
    labels: Sequence[str],
    train: int,
    test: int,
) -> pd.DataFrame:
    """One row a noise level, level of sampling, number of samples, kind of labels and trial."""
    mnist = fields["mnist"]
    rows: list[tuple[Any, ...]] = []
    for trial in trials:
        digits = choose(mnist, train, test, trial.public)
        images = mnist["images"][digits.test]
        for level, samples in levels.items():
            weights = learned["spread"][trial.number][level]
            right = accuracy(images, digits.test_labels, weights, np.zeros(weights.shape[:-1]))
            norms = np.linalg.norm(weights, axis=-1)
            rows += [
                (
                    p_flip,
                    f"spread_flat_{level}",
                    count,
                    kind,
                    trial.number,
                    float(right[i, j, k]),
                    float(norms[i, j, k]),
                )
                for (i, p_flip), (j, kind), (k, count) in product(
                    enumerate(p_flips), enumerate(labels), enumerate(samples)
                )
            ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:5], ignore_index=True)
