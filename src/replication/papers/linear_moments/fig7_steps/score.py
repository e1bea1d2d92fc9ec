"""The step-size study, the referee: accuracies as in figure 7, for every optimiser and rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from replication.papers.linear_moments.fig7.score import COLUMNS as FIGURE_7
from replication.papers.linear_moments.fig7.score import accuracy, word_tag_counts
from replication.randomness import Trial
from unveil.types import Array, Arrays

COLUMNS = [*FIGURE_7, "optimizer", "rate"]


def score(
    learned: Mapping[str, Sequence[Arrays]], fields: Mapping[str, Arrays], trials: Sequence[Trial]
) -> pd.DataFrame:
    """One row a run, evaluation and split."""
    truths = {corpus: word_tag_counts(text) for corpus, text in fields.items()}
    rows = [
        {"trial": trial, **row}
        for arm in learned.values()
        for trial, arrays in enumerate(arm)
        for row in _rows(arrays, truths[str(arrays["corpus"])])
    ]
    order = ["corpus", "window", "estimator", "optimizer", "rate", "step1_passes", "trial", "passes", "split"]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(order, ignore_index=True)


def _rows(arrays: Arrays, truth: Mapping[str, Array]) -> Iterator[dict[str, Any]]:
    for i, snapshots in enumerate(arrays["tags"]):
        run = {
            "corpus": str(arrays["corpus"]),
            "window": int(arrays["window"][i]),
            "estimator": str(arrays["estimator"][i]),
            "step1_passes": int(arrays["step1_passes"][i]),
            "optimizer": str(arrays["optimizer"][i]),
            "rate": float(arrays["rate"][i]),
        }
        for at, tags in zip(arrays["passes"], snapshots, strict=True):
            for split, counts in truth.items():
                yield {**run, "passes": float(at), "split": split, "accuracy": accuracy(counts, tags)}
