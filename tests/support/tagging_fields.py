"""A small corpus as prepared fields, and settings to train on it, for the tests of figure 7 and its companions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from small_corpora import Corpus, corpus
from unveil.types import Array

PUBLIC = ("words", "tokens", "tag_names")
TRAINING: Mapping[str, Any] = {
    "evaluate_at": [0.25, 1.0, 2.0],
    "optimizer": "adagrad",
    "rate": 0.1,
    "ridge": 1.0,
    "step1_tolerance": 0.01,
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
