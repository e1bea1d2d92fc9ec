"""Figure 7, the referee: how many positions of the training and test sentences are tagged right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.randomness import Trial
from unveil.types import Array, Arrays

COLUMNS = ["corpus", "window", "estimator", "trial", "passes", "split", "accuracy", "step1_passes"]
SPLITS = {"train": 0, "test": 1}


def score(
    learned: Mapping[str, Sequence[Arrays]], fields: Mapping[str, Arrays], trials: Sequence[Trial]
) -> pd.DataFrame:
    """One row an estimator, window, trial, evaluation and split."""
    truths = {corpus: word_tag_counts(text) for corpus, text in fields.items()}
    rows = [
        {"trial": trial, **row}
        for arm in learned.values()
        for trial, arrays in enumerate(arm)
        for row in accuracy_rows(arrays, truths[str(arrays["corpus"])])
    ]
    order = ["corpus", "window", "estimator", "trial", "passes", "split"]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(order, ignore_index=True)


def word_tag_counts(text: Arrays) -> dict[str, Array]:
    """For each split (words, tags): how often each word bears each tag."""
    shape = len(text["words"]), len(text["tag_names"])
    of_token = np.repeat(text["split"], np.diff(text["sentences"]))
    counts = {}
    for name, number in SPLITS.items():
        inside = of_token == number
        cells = np.asarray(text["tokens"])[inside].astype(np.int64) * shape[1] + text["tags"][inside]
        counts[name] = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    return counts


def accuracy_rows(arrays: Arrays, truth: Mapping[str, Array]) -> Iterator[dict[str, Any]]:
    """Accuracies of everything that one learner noted; its tags stand a word, so a split is one lookup."""
    for name, snapshots in arrays.items():
        if not name.startswith("tags_"):
            continue
        estimator, _, window = name.removeprefix("tags_").rpartition("_")
        # The most frequent tag takes no pass: its one snapshot stands at 0.
        passes = arrays["passes"] if len(snapshots) == len(arrays["passes"]) else [0.0]
        step1 = arrays.get(f"step1_passes_{estimator}_{window}", np.array(0))
        for at, tags in zip(passes, snapshots, strict=True):
            for split, counts in truth.items():
                yield {
                    "corpus": str(arrays["corpus"]),
                    "window": int(window),
                    "estimator": estimator,
                    "passes": float(at),
                    "split": split,
                    "accuracy": accuracy(counts, tags),
                    "step1_passes": int(step1),
                }


def accuracy(counts: Array, tags: Array) -> float:
    """Share of positions whose tag is the one given to their word."""
    return float(counts[np.arange(len(counts)), tags].sum() / counts.sum())
