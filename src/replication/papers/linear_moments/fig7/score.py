"""Figure 7, the referee: how many positions of the training and test sentences are tagged right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.arrays import Fields, Named, under
from replication.randomness import Trial
from replication.settings import Nothing
from unveil.types import Array, Arrays

COLUMNS = ["corpus", "window", "estimator", "trial", "passes", "split", "accuracy", "step1_passes"]
SPLITS = {"train": 0, "test": 1}


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Nothing
) -> pd.DataFrame:
    """One row an estimator, window, trial, evaluation and split."""
    order = ["corpus", "window", "estimator", "trial", "passes", "split"]
    return pd.DataFrame(accuracies(learned, fields), columns=COLUMNS).sort_values(order, ignore_index=True)


def accuracies(learned: Mapping[str, Sequence[Named]], fields: Fields) -> Iterator[dict[str, Any]]:
    """Accuracies of every tagger, with what it noted of its run; its tags stand a word, so a split is one lookup."""
    truths = {corpus: word_tag_counts(text) for corpus, text in fields.items()}
    for trial, arrays in ((trial, arrays) for arm in learned.values() for trial, arrays in enumerate(arm)):
        for name in arrays:
            match name:
                case (str(corpus), str(estimator), int(window), *_, "tags"):
                    notes = under(arrays, *name[:-1])
                    label = {"corpus": corpus, "window": window, "estimator": estimator, "trial": trial}
                    label |= {str(what): note.item() for what, note in notes.items() if note.ndim == 0}
                    for passes, tags in zip(notes["passes"], notes["tags"], strict=True):
                        for split, counts in truths[corpus].items():
                            reached = {"split": split, "accuracy": accuracy(counts, tags)}
                            yield {**label, "passes": float(passes), **reached}


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


def accuracy(counts: Array, tags: Array) -> float:
    """Share of positions whose tag is the one given to their word."""
    return float(counts[np.arange(len(counts)), tags].sum() / counts.sum())
