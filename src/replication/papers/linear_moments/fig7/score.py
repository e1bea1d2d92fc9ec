"""Figure 7, the referee: how many positions of the training and test sentences are tagged right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, Named, under
from unveil.types import Array, Arrays, Floats

CONTRACT = ["corpus", "window", "estimator", "trial", "passes", "split", "accuracy", "step1_passes"]
#: What the choice of the sentences alone makes of an accuracy, and of the lead over a reference in the same trial.
RESAMPLED = ["accuracy_sd", "lead_beam_sd", "lead_exact_sd"]
COLUMNS = [*CONTRACT, *RESAMPLED, "step1_gap"]
SPLITS = {"train": 0, "test": 1}
REFERENCES = {"lead_beam_sd": "marginal_beam", "lead_exact_sd": "marginal_exact"}


def score(learned: Learned, fields: Fields) -> pd.DataFrame:
    """One row an estimator, window, trial, evaluation and split.

    `step1_gap` is the share of its start to which the gradient of (12) has fallen where step 1 is stochastic.
    `accuracy_sd` is the standard deviation of the accuracy when sentences are drawn anew, `lead_beam_sd` and
    `lead_exact_sd` that of its difference from the beam's, or exact inference's, at as many passes.
    """
    order = ["corpus", "window", "estimator", "trial", "passes", "split"]
    return pd.DataFrame(accuracies(learned, fields), columns=COLUMNS).sort_values(order, ignore_index=True)


def accuracies(learned: Learned, fields: Fields) -> Iterator[dict[str, Any]]:
    """Accuracies of every tagger, with what it noted of its run; runs that differ in the estimator alone are paired."""
    texts = {(corpus, split): Sentences(text, split) for corpus, text in fields.items() for split in SPLITS}
    number = max(map(len, learned.values()), default=0)
    for trial in range(number):
        runs = [run for arm in learned.values() for run in _runs(arm[trial], trial)]
        paired = ["corpus", "window", "n_train", "optimizer", "rate", "asked_tags"]
        key = [(tuple(str(run["label"].get(name)) for name in paired), i) for i, run in enumerate(runs)]
        for _, group in groupby(sorted(key), key=lambda item: item[0]):
            yield from _together([runs[i] for _, i in group], texts)


def _runs(arrays: Named, trial: int) -> Iterator[dict[str, Any]]:
    for name in arrays:
        match name:
            case (str(corpus), str(estimator), int(window), *_, "tags"):
                notes = under(arrays, *name[:-1])
                label = {"corpus": corpus, "window": window, "estimator": estimator, "trial": trial}
                label |= {str(what): note.item() for what, note in notes.items() if note.ndim == 0}
                # What was noted at each evaluation.
                series = {str(what): note for what, note in notes.items() if note.ndim == 1}
                yield {"label": label, "passes": series.pop("passes"), "tags": notes["tags"], "series": series}


def _together(
    runs: Sequence[Mapping[str, Any]], texts: Mapping[tuple[str, str], Sentences]
) -> Iterator[dict[str, Any]]:
    """The rows of runs that differ in the estimator alone, each beside the references at the same passes."""
    for split in SPLITS:
        text = texts[runs[0]["label"]["corpus"], split]
        right = [[text.right(tags) for tags in run["tags"]] for run in runs]
        known = {
            (run["label"]["estimator"], float(passes)): own[i]
            for run, own in zip(runs, right, strict=True)
            for i, passes in enumerate(run["passes"])
        }
        for run, own in zip(runs, right, strict=True):
            for at, (passes, found) in enumerate(zip(run["passes"], own, strict=True)):
                sds = {"accuracy_sd": text.deviation(found)}
                for column, reference in REFERENCES.items():
                    other = known.get((reference, float(passes)))
                    if other is not None and run["label"]["estimator"] != reference:
                        sds[column] = text.deviation(found - other)
                noted = {what: float(values[at]) for what, values in run["series"].items()}
                reached = {"split": split, "accuracy": text.share(found)}
                yield {**run["label"], "passes": float(passes), **noted, **reached, **sds}


class Sentences:
    """The sentences of a split of a corpus, and their true tags."""

    def __init__(self, text: Arrays, split: str) -> None:
        inside = np.asarray(text["split"]) == SPLITS[split]
        lengths = np.diff(text["sentences"])
        chosen = np.repeat(inside, lengths)
        self.lengths: Array = lengths[inside]
        self.words: Array = np.asarray(text["tokens"])[chosen]
        self.tags: Array = np.asarray(text["tags"])[chosen]
        self.starts: Array = np.cumsum(self.lengths) - self.lengths

    def right(self, tags: Array) -> Floats:
        """How many positions of each sentence are tagged right by one tag a word."""
        return np.add.reduceat(tags[self.words] == self.tags, self.starts, dtype=float)

    def share(self, sums: Floats) -> float:
        """Σ sums / Σ lengths."""
        return float(sums.sum() / self.lengths.sum())

    def deviation(self, sums: Floats) -> float:
        """The standard deviation of that share when the sentences are drawn anew: that of a ratio."""
        n, whole = len(sums), self.lengths.sum()
        residuals = sums - sums.sum() / whole * self.lengths
        return float(np.sqrt(n / max(n - 1, 1) * np.sum(residuals**2)) / whole)
