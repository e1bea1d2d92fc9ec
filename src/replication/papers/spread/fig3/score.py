"""Figure 3, the referee: accuracy on clean held-out digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from replication.papers.spread.digits import accuracy, choose
from replication.randomness import Trial
from unveil.types import Arrays

COLUMNS = ["p_flip", "method", "iterations", "trial", "accuracy"]


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    p_flips: Sequence[float],
    train: int,
    test: int,
    iterations: Sequence[int],
) -> pd.DataFrame:
    """One row a noise level, method, checkpoint and trial."""
    mnist = fields["mnist"]
    rows = []
    for trial in trials:
        digits = choose(mnist, train, test, trial.public)
        images = mnist["images"][digits.test]
        arrays = {name: array for arm in learned.values() for name, array in arm[trial.number].items()}
        for name in arrays:
            if not name.endswith("_weights"):
                continue
            method = name.removesuffix("_weights")
            right = accuracy(images, digits.test_labels, arrays[name], arrays[f"{method}_intercepts"])
            rows += [
                (p_flip, method, count, trial.number, float(right[i, j]))
                for i, p_flip in enumerate(p_flips)
                for j, count in enumerate(iterations)
            ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:4], ignore_index=True)
