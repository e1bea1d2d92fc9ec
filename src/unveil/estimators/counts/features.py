"""What the tagger sees of a word, and windows of text as arrays of word numbers.

The features are those of section 7: the word, its prefixes and suffixes, and a signature. They depend on
the word's spelling alone (assumption 1 of section 4), so all that is computed is computed once a word of
the vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.types import Array

# ASSUME: affixes of one to three characters; the paper says "prefix, suffix".
AFFIXES = (1, 2, 3)
_RUN = re.compile(r"[^\W\d_]+|\d+")


def signature(word: str) -> str:
    """The word with each run of letters replaced by its case (A, Aa, aA, a) and each run of digits by 0.

    ASSUME: it does not look at where in the sentence the word stands, as assumption 1 asks.
    """
    return _RUN.sub(lambda run: "0" if run.group()[0].isdecimal() else _case(run.group()), word)


def _case(letters: str) -> str:
    if letters.isupper():
        return "A"
    if letters[0].isupper():
        return "Aa"
    return "a" if letters.islower() or not letters.isascii() else "aA"


def word_features(word: str) -> tuple[str, ...]:
    """The names of a word's features: always one of each kind, so a short word is its own affix."""
    prefixes = (f"prefix{n}={word[:n]}" for n in AFFIXES)
    suffixes = (f"suffix{n}={word[-n:]}" for n in AFFIXES)
    return (f"word={word}", *prefixes, *suffixes, f"signature={signature(word)}")


def feature_index(words: Sequence[str]) -> dict[str, int]:
    """Every feature of `words`, numbered in the order of first sight."""
    names = (name for word in words for name in word_features(word))
    return {name: i for i, name in enumerate(dict.fromkeys(names))}


def feature_table(words: Sequence[str], index: Mapping[str, int]) -> Array:
    """(words, kinds) feature numbers; −1 where a feature is not in the index."""
    table = [[index.get(name, -1) for name in word_features(word)] for word in words]
    return np.array(table, dtype=np.int32).reshape(len(words), 2 + 2 * len(AFFIXES))


def is_list(values: object) -> TypeGuard[Sequence[Any]]:
    """Whether this is a list of anything, and not text."""
    return isinstance(values, Sequence | np.ndarray) and not isinstance(values, str | bytes)


def is_words(words: object) -> bool:
    """Whether this is a list of words."""
    return is_list(words) and all(isinstance(word, str) for word in words)


@lru_cache(maxsize=4)
def vocabulary(words: tuple[str, ...]) -> tuple[dict[str, int], Array]:
    """The index and the table of a whole vocabulary; the last few are kept, as one text serves many taggers."""
    index = feature_index(words)
    return index, feature_table(words, index)


@dataclass(frozen=True)
class Windows:
    """Windows tokens[start:stop] of a text whose tokens are numbers of `words`.

    `sentences`, where it is known, says where sentences begin, and last where the text ends.
    """

    words: Array
    tokens: Array
    start: Array
    stop: Array
    sentences: Array | None = None

    @classmethod
    def of(cls, windows: Sequence[Sequence[str]]) -> Windows:
        """Windows given as lists of words."""
        require(
            isinstance(windows, Sequence) and all(is_words(window) for window in windows),
            "X must be a list of windows, each a list of words",
        )
        require(len(windows) > 0, "windows must not be empty: X holds none")
        flat = [word for window in windows for word in window]
        words, tokens = np.unique(np.array(flat, dtype=np.str_), return_inverse=True)
        stop = np.cumsum([len(window) for window in windows])
        return cls(words, tokens, np.concatenate([[0], stop[:-1]]), stop)

    def __post_init__(self) -> None:
        """Check that every window holds a token and every token is a word."""
        for name in ("tokens", "start", "stop"):
            object.__setattr__(self, name, _whole(getattr(self, name), name))
        tokens, start, stop = self.tokens, self.start, self.stop
        require(start.shape == stop.shape, "start and stop must have one entry a window")
        require(
            tokens.size == 0 or (tokens.min() >= 0 and tokens.max() < len(self.words)),
            "tokens must be numbers of words",
        )
        inside = (start >= 0) & (stop <= len(tokens))
        require(inside.all(), "windows must lie inside the text: 0 ≤ start, stop ≤ number of tokens")
        require((start < stop).all(), "windows must not be empty: start < stop")
        if self.sentences is not None:
            ends = _whole(self.sentences, "sentences")
            require(len(ends) >= 2 and bool((np.diff(ends) > 0).all()), "sentences must be offsets that increase")
            object.__setattr__(self, "sentences", ends)
            require(
                bool((start >= ends[0]).all() and (stop <= self.spans[1]).all()), "a window must lie in one sentence"
            )

    def __len__(self) -> int:
        return len(self.start)

    @property
    def lengths(self) -> Array:
        """Tokens a window."""
        return np.asarray(self.stop - self.start)

    @property
    def spans(self) -> tuple[Array, Array]:
        """Start and stop of the sentence that each window lies in; the window itself where sentences are not known."""
        if self.sentences is None:
            return self.start, self.stop
        number = np.searchsorted(self.sentences[1:-1], self.start, side="right")
        return self.sentences[number], self.sentences[number + 1]

    @property
    def positions(self) -> Array:
        """The positions of all windows' tokens, window after window."""
        lengths = self.lengths
        first = np.repeat(self.start - np.cumsum(lengths) + lengths, lengths)
        return np.asarray(first + np.arange(lengths.sum()))


def _whole(values: ArrayLike, name: str) -> Array:
    array = np.asarray(values)
    require(array.ndim == 1 and array.dtype.kind in "iu", f"{name} must be a vector of whole numbers")
    return array.astype(np.int64)
