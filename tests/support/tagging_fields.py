"""A small corpus as prepared fields, and settings to train on it, for the tests of figure 7 and its companions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from replication.arrays import Named
from replication.papers.linear_moments.fig7.release import release
from replication.papers.linear_moments.fig7.settings import Regions
from replication.randomness import Trial
from small_corpora import Corpus, corpus
from unveil.types import Array

PUBLIC = ("words", "tokens", "sentences", "tag_names")
TRAINING: Mapping[str, Any] = {
    "evaluate_at": (0.25, 1.0, 2.0),
    "ridge": 1.0,
    "step1_tolerance": 0.01,
    "step1_rate": 1.0,
    "beam": 50,
    "budget": 500,
}


def prepared(text: Corpus) -> dict[str, Array]:
    """The fields of a data set: every third sentence tests, every seventh is of the development part."""
    n = len(text.ends) - 1
    split = np.where(np.arange(n) % 3 == 0, 1, np.where(np.arange(n) % 7 == 0, 2, 0)).astype(np.uint8)
    return {
        "words": text.words,
        "tokens": text.tokens.astype(np.int32),
        "tags": text.tags.astype(np.int16),
        "tag_names": np.array([f"T{b}" for b in range(text.word_tags.shape[1])]),
        "sentences": text.ends,
        "split": split,
    }


FIELDS = prepared(corpus(120))


def public(*seen: str) -> dict[str, dict[str, Array]]:
    """What a learner may read: what is public, and what it is `seen` to peek at."""
    return {"treebank": {name: FIELDS[name] for name in (*PUBLIC, *seen)}}


def regions(trial: Trial, *windows: int, train_sentences: int | None = None) -> dict[str, Named]:
    """What figure 7's owner releases."""
    settings = Regions(windows=windows, train_sentences=train_sentences)
    return {"treebank": release({"treebank": FIELDS}, trial, settings)}
