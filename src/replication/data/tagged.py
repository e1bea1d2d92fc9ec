"""Tagged text as arrays, and a small language to draw a stand-in from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.random import Generator

from unveil.errors import require
from unveil.types import Array


def make_fields(
    words: Sequence[str] | Array, tags: Sequence[str] | Array, lengths: Array, split: Array
) -> dict[str, Array]:
    """The fields of a corpus from its words and tags in order, the lengths of its sentences, and their parts.

    Sentences of length zero, which only held traces, are left out.
    """
    require(len(words) == len(tags) == int(lengths.sum()), "words, tags and sentence lengths must agree")
    require(len(lengths) == len(split), "every sentence must belong to a part")
    tokens, vocabulary = pd.factorize(np.asarray(words, dtype=object), sort=True)
    codes, names = pd.factorize(np.asarray(tags, dtype=object), sort=True)
    kept = lengths > 0
    return {
        "words": np.asarray(vocabulary, dtype=np.str_),
        "tokens": tokens.astype(np.int32),
        "tags": codes.astype(np.int16),
        "tag_names": np.asarray(names, dtype=np.str_),
        "sentences": np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.int64),
        "split": split[kept].astype(np.uint8),
    }


#: The 45 Penn tags.
PENN_TAGS = [
    "#", "$", "''", ",", "-LRB-", "-RRB-", ".", ":", "CC", "CD", "DT", "EX", "FW", "IN", "JJ", "JJR", "JJS",
    "LS", "MD", "NN", "NNP", "NNPS", "NNS", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM",
    "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB", "``",
]  # fmt: skip
_SYLLABLES = [onset + vowel for onset in "bcdfgklmnprstv" for vowel in "aeiou"]


def draw_corpus(rng: Generator, sentences: int, split: Array) -> dict[str, Array]:
    """A hidden Markov model over the Penn tags with words that wear their tag's suffix.

    A few followers are likely after each tag. Every tag has words of its own, used by Zipf's law, and one
    word in ten is drawn from a vocabulary that all tags share, without a suffix: those need their context.
    """
    lengths = np.minimum(1 + rng.poisson(23, size=sentences), 80)
    tags = _walk(rng, lengths)
    shared = rng.random(len(tags)) < 0.1
    ranks = np.minimum(rng.zipf(1.4, size=len(tags)) - 1, 499)
    stems = np.array(_stems(rng, 2 * 500), dtype=np.str_)
    # Three is prime to the number of syllables, so no two tags share a suffix.
    suffixes = np.array([_SYLLABLES[3 * tag % len(_SYLLABLES)] for tag in range(len(PENN_TAGS))], dtype=np.str_)
    marked = np.char.add(stems[ranks], suffixes[tags])
    words = np.where(shared, stems[500 + ranks], marked)
    return make_fields(words, np.array(PENN_TAGS)[tags], lengths, split)


def _walk(rng: Generator, lengths: Array) -> Array:
    """Tag sequences of all sentences at once, position by position, in the order of the sentences."""
    count = len(PENN_TAGS)
    follow = np.cumsum(rng.dirichlet(np.full(count, 0.08), size=count), axis=1)
    state = rng.integers(count, size=len(lengths))
    grid = np.empty((len(lengths), lengths.max()), dtype=np.int64)
    for position in range(grid.shape[1]):
        grid[:, position] = state
        state = np.minimum((follow[state] < rng.random((len(lengths), 1))).sum(axis=1), count - 1)
    return grid[np.arange(grid.shape[1]) < lengths[:, None]]


def _stems(rng: Generator, count: int) -> list[str]:
    """Distinct words of three syllables."""
    base = len(_SYLLABLES)
    codes = rng.choice(base**3, size=count, replace=False)
    return [_SYLLABLES[c % base] + _SYLLABLES[c // base % base] + _SYLLABLES[c // base**2] for c in codes.tolist()]
