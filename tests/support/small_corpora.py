"""Made-up text for the tagger's tests: words whose spelling tells part of their tag."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import default_rng

from unveil.estimators.counts.features import Windows
from unveil.mechanisms.regions import RegionCounts, Regions
from unveil.types import Array, Floats

ENDINGS = ("ing", "ed", "ly", "s", "Ton", "0")


@dataclass(frozen=True)
class Corpus:
    """Words, the tag distribution w* of each, and a text drawn from it: tags depend on the word alone."""

    words: Array
    word_tags: Floats
    tokens: Array
    tags: Array
    ends: Array

    def regions(self, window: int | None, seed: int = 0, tags: int | None = None) -> tuple[Windows, Regions]:
        """What an owner releases, and the windows as the learner sees them."""
        k = self.word_tags.shape[1]
        regions = RegionCounts(window, tags).release(self.tags, self.ends, default_rng(seed), n_tags=k)
        return Windows(self.words, self.tokens, regions.start, regions.stop), regions


def corpus(sentences: int, words: int = 60, tags: int = 6, sharpness: float = 0.1, text: int = 0) -> Corpus:
    """Text of Zipf-like words; each ending leans to a tag, each word departs from its ending.

    The words and their tags are always the same, `text` seeds what is drawn from them.
    """
    rng = default_rng(0)
    kinds = rng.integers(0, len(ENDINGS), words)
    spelled = np.array([f"{''.join(rng.choice(list('bcdfgk'), 4))}{i}{ENDINGS[c]}" for i, c in enumerate(kinds)])
    lean = np.full((len(ENDINGS), tags), sharpness)
    lean[np.arange(len(ENDINGS)), np.arange(len(ENDINGS)) % tags] = 1.0
    word_tags = np.array([rng.dirichlet(3 * lean[c]) for c in kinds])
    rng = default_rng([1, text])
    share = 1 / np.arange(1, words + 1)
    lengths = rng.integers(1, 13, sentences)
    tokens = rng.choice(words, lengths.sum(), p=share / share.sum())
    uniform = rng.random((len(tokens), 1))
    drawn = (uniform > np.cumsum(word_tags[tokens], axis=1)).sum(axis=1).clip(max=tags - 1)
    return Corpus(spelled, word_tags, tokens, drawn, np.concatenate([[0], np.cumsum(lengths)]))
