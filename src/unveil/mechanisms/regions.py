"""Region annotations: how often tags occur in a window of each sentence (Raghunathan et al. 2016).

The annotator looks at one window a sentence and counts; which word bears which tag never leaves the owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.fingerprints import text_fingerprint
from unveil.mechanisms.base import Mechanism
from unveil.protocols.base import Release
from unveil.types import Array, as_array

#: The words and the tags of sentences.
Text: TypeAlias = tuple[Sequence[Sequence[str]], Sequence[Sequence[Any]]]


@dataclass(frozen=True)
class Regions:
    """What is released of each sentence: the window's ends in the text, the tags asked for, their counts."""

    start: Array
    stop: Array
    counts: Array
    asked: Array


@dataclass(frozen=True)
class RegionCounts(Mechanism):
    """Count tags in one window of each sentence: the annotation of Raghunathan et al. (2016), sections 4 and 7.

    The counts are exact: no privacy is promised.

    Parameters
    ----------
    window : int or None
        How many tokens are looked at, at a place drawn uniformly; the whole sentence where it is shorter, or with None.
    tags : int, optional
        How many tags are asked for, drawn anew for each sentence without replacement; all by default.

    Examples
    --------
    Two sentences, of four tokens and of three:

    >>> from numpy.random import default_rng
    >>> from unveil import RegionCounts
    >>> regions = RegionCounts(window=3).release([0, 1, 2, 0, 1, 1, 2], [0, 4, 7], default_rng(0))
    >>> regions.start, regions.stop
    (array([1, 4]), array([4, 7]))
    >>> regions.counts
    array([[1, 1, 1],
           [0, 2, 1]])

    The same of words and named tags, as a tagger takes it:

    >>> sentences, tags = [["the", "dog", "runs"], ["a", "cat"]], [["DT", "NN", "VB"], ["DT", "NN"]]
    >>> release = RegionCounts(window=2).publish((sentences, tags), default_rng(0))
    >>> release.parameters["tags"], release.arrays["counts"].tolist()
    (['DT', 'NN', 'VB'], [[0, 1, 1], [1, 1, 0]])
    """

    window: int | None
    tags: int | None = None

    def _check_parameters(self) -> None:
        require(self.window is None or self.window >= 1, "window must be at least 1 token, or None")
        require(self.tags is None or self.tags >= 1, "tags must be at least 1, or None for all tags")

    def release(self, tags: ArrayLike, sentences: ArrayLike, rng: Generator, n_tags: int | None = None) -> Regions:
        """Windows and counts of a text, whose i-th sentence is tags[sentences[i]:sentences[i + 1]].

        Tags are whole numbers from 0 to K − 1, `n_tags` being K, by default the largest tag plus one. The windows'
        `start` and `stop` are (n,), the `counts` and which tags were `asked` for (n, K); one that was not has count 0.
        """
        text, ends = _check_text(tags, sentences)
        k = int(n_tags) if n_tags is not None else int(text.max(initial=-1)) + 1
        require(text.max(initial=-1) < k, f"tags must be below n_tags = {k}: an unknown tag {text.max(initial=-1)}")
        require(self.tags is None or self.tags <= k, f"tags asked for must be at most the {k} there are")
        length = np.diff(ends)
        width = length if self.window is None else np.minimum(length, self.window)
        # The paper lets the start run to L − w, which would never show the last token: there are L − w + 1
        # places.
        start = ends[:-1] + rng.integers(0, length - width + 1)
        asked = self._choose_tags(len(start), k, rng)
        counts = np.where(asked, count_in_windows(text, start, start + width, k), 0)
        return Regions(start, start + width, counts, asked)

    def publish(
        self, data: Text | Iterable[Text], rng: Generator | None = None, tag_set: Sequence[Any] | None = None
    ) -> Release:
        """Windows and counts of sentences, as a release of the protocol "tags".

        Parameters
        ----------
        data : (sentences, tags), or an iterable of such pairs
            The public words and the private tags of each sentence, lists of lists; tags are text or whole numbers.
        rng : numpy.random.Generator, optional
            By default the operating system's randomness seeds one.
        tag_set : sequence, optional
            All tags there are; by default those of the data.

        Returns
        -------
        Release
            `start` and `width` of each sentence's window, the `lengths` of the sentences, the `counts` and what was
            `asked`; the names of the tags are a parameter.
        """
        sentences, tags = _join_sentences(data)
        lengths = np.array([len(words) for words in sentences], dtype=np.int64)
        require(len(lengths) > 0, "sentences must be at least one")
        require(lengths.tolist() == [len(own) for own in tags], "sentences and tags must be lists of the same lengths")
        flat = np.asarray([tag for own in tags for tag in own])
        names = np.unique(flat if tag_set is None else np.asarray(tag_set))
        numbers = np.minimum(np.searchsorted(names, flat), len(names) - 1)
        require(bool((names[numbers] == flat).all()), "tags must be among those of tag_set")
        ends = np.concatenate([[0], np.cumsum(lengths)])
        draws = np.random.default_rng() if rng is None else rng
        regions = self.release(numbers, ends, draws, n_tags=len(names))
        return Release(
            protocol="tags",
            mechanism=type(self).__name__,
            parameters={"window": self.window, "asked": self.tags, "tags": names.tolist()},
            arrays={
                "start": regions.start - ends[:-1],
                "width": regions.stop - regions.start,
                "lengths": lengths,
                "counts": regions.counts,
                "asked": regions.asked,
            },
            records=len(lengths),
            randomness="os" if rng is None else "seeded",
            rows=text_fingerprint(sentences),
        )

    def _choose_tags(self, n: int, k: int, rng: Generator) -> Array:
        if self.tags is None:
            return np.ones((n, k), dtype=bool)
        ranks = rng.random((n, k)).argsort(axis=1).argsort(axis=1)
        return np.asarray(ranks < self.tags)


def _join_sentences(data: Text | Iterable[Text]) -> tuple[list[Sequence[str]], list[Sequence[Any]]]:
    """The words and the tags of all sentences, of however many batches."""
    sentences: list[Sequence[str]] = []
    tags: list[Sequence[Any]] = []
    for pair in [cast("Text", data)] if isinstance(data, tuple) else data:
        require(
            isinstance(pair, tuple | list) and len(pair) == 2, "data must be a pair (sentences, tags), or one a batch"
        )
        require(len(pair[0]) == len(pair[1]), "sentences and tags must be lists of the same lengths")
        sentences += pair[0]
        tags += pair[1]
    return sentences, tags


def count_in_windows(tags: Array, start: Array, stop: Array, n_tags: int) -> Array:
    """(windows, n_tags): how often each tag occurs in tags[start:stop]."""
    lengths = stop - start
    window = np.repeat(np.arange(len(start)), lengths)
    position = np.arange(lengths.sum()) + np.repeat(start - np.cumsum(lengths) + lengths, lengths)
    cells = np.bincount(window * n_tags + tags[position], minlength=len(start) * n_tags)
    return cells.reshape(len(start), n_tags)


def _check_text(tags: ArrayLike, sentences: ArrayLike) -> tuple[Array, Array]:
    text, ends = as_array(tags, "tags"), as_array(sentences, "sentences")
    require(text.ndim == 1 and text.dtype.kind in "iu", "tags must be a vector of whole numbers")
    require(text.size == 0 or text.min() >= 0, "tags must not be negative")
    require(
        ends.ndim == 1 and ends.dtype.kind in "iu" and len(ends) >= 2,
        "sentences must be a vector of offsets: one more than there are sentences",
    )
    ends = ends.astype(np.int64, casting="same_kind")
    require(ends[0] >= 0 and ends[-1] <= len(text), "sentences must be offsets into tags: between 0 and their number")
    require(bool((np.diff(ends) > 0).all()), "sentences must not be empty: offsets must increase")
    return text.astype(np.int64, casting="same_kind"), ends
