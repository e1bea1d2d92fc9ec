"""What a tagger is fitted to: sentences or windows, with tags, their counts, or a release of these; and how."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.estimators.counts.count_posterior import MOST_BEAM
from unveil.estimators.counts.features import Windows, is_list, is_words
from unveil.estimators.validation import require_choice, require_settings
from unveil.fingerprints import text_fingerprint
from unveil.protocols.base import Release
from unveil.types import Array, as_numbers, as_reals

METHODS = ("supervised", "moments", "moments_features", "marginal")
STEP1, SPANS = ("exact", "sgd", "sgd_first", "sgd_constant"), ("window", "all", "seen")


def are_sentences(words: Any) -> bool:
    """Whether these are lists of words, and not words."""
    return is_list(words) and len(words) > 0 and not is_words(words) and all(map(is_words, words))


def number_tags(tags: Any) -> tuple[Any, Sequence[Any] | None]:
    """Tags that are text as numbers, and their names; numbers stay."""
    if not is_list(tags) or len(tags) == 0 or not all(is_words(own) and len(own) for own in tags):
        return tags, None
    names = sorted({tag for own in tags for tag in own})
    number = {tag: i for i, tag in enumerate(names)}
    return [[number[tag] for tag in own] for own in tags], names


def read_windows(release: Release, sentences: Any) -> tuple[Windows, Array, Array, Sequence[Any]]:
    """Windows over the sentences, their counts, which tags were asked for, and the names of all tags."""
    release.require_protocol("tags", "CountTagger")
    whole, arrays = Windows.of(sentences), release.arrays

    def same(start: int, stop: int, text: str) -> bool:
        return text_fingerprint(sentences[start:stop]) == text

    release.require_rows(same, len(whole), "sentences")
    start = whole.start + arrays["start"]
    ends = np.concatenate([whole.start, whole.stop[-1:]])
    windows = Windows(whole.words, whole.tokens, start, start + arrays["width"], ends)
    return windows, arrays["counts"], arrays["asked"], release.parameters["tags"]


def whole_numbers(values: Any, name: str) -> Array:
    """An array of integers, or an error."""
    array = as_reals(values, name)
    require(array.dtype.kind in "iu", f"{name} must be whole numbers")
    return array.astype(np.int64)


def check_tag_counts(y: Any, given: ArrayLike | None, windows: Windows, n_tags: int) -> tuple[Array, Array]:
    """Counts and which tags were asked for, as (windows, n_tags)."""
    counts = whole_numbers(y, "counts")
    require(
        counts.ndim == 2 and len(counts) == len(windows) and counts.shape[1] <= n_tags,
        f"counts must have one row a window and one column a tag, at most {n_tags}",
    )
    asked = np.ones(counts.shape, dtype=bool) if given is None else np.asarray(given, dtype=bool)
    require(asked.shape == counts.shape, "asked must have the shape of counts")
    require(bool((counts >= 0).all()), "counts must not be negative")
    require(not counts[~asked].any(), "counts of tags that were not asked for must be 0")
    # Tags of the model beyond the columns of the counts: they were not there to ask for.
    beyond = ((0, 0), (0, n_tags - counts.shape[1]))
    counts, asked = np.pad(counts, beyond), np.pad(asked, beyond, constant_values=given is None)
    sums, lengths = counts.sum(axis=1), windows.lengths
    wrong = np.flatnonzero(np.where(asked.all(axis=1), sums != lengths, sums > lengths))
    first = wrong[0] if wrong.size else 0
    require(
        wrong.size == 0,
        f"counts must sum to the window's length: window {first} has {lengths[first]} tokens "
        f"and counts that sum to {sums[first]}",
    )
    return counts, asked


def solves_alike(one: Any, other: object) -> bool:
    """Whether two taggers solve (12) the same way for the same words and tags, the other of them already has."""
    names = ("method", "step1", "step1_rate", "ridge", "step1_tolerance", "step1_passes", "n_tags_", "words_")
    same = all(getattr(other, name, None) == getattr(one, name) for name in names)
    return same and one.step1 in ("exact", "sgd_first") and hasattr(other, "word_tags_")


def check_parameters(tagger: Any, inferences: Iterable[str]) -> None:
    """Refuse what a tagger cannot be asked for."""
    require_choice(tagger.method, METHODS, "method")
    require_choice(tagger.inference, inferences, "inference")
    require_choice(tagger.optimizer, ("adagrad", "sgd"), "optimizer")
    require_choice(tagger.step1, STEP1, "step1")
    require_choice(tagger.span, SPANS, "span")
    require(tagger.step1 == "exact" or tagger.method == "moments", 'step1 must be "exact" unless method is "moments"')
    require_settings(tagger, ("rate", "passes", "ridge", "step1_tolerance"), ("beam", "budget", "step1_passes"))
    require(1 <= tagger.beam <= MOST_BEAM, f"beam must be at least 1 and at most {MOST_BEAM}")
    require(tagger.budget >= 1, "budget must be at least 1")
    require(0 < tagger.rate <= 1e6, "rate must be positive, and at most a million")
    if tagger.step1_rate is not None:
        require_settings(tagger, ("step1_rate",))
        require(0 < tagger.step1_rate < 2, "step1_rate must lie between 0 and 2, where its steps diverge, or be None")
    require(0 <= tagger.passes <= 1e9, "passes must be finite and at least 0, and at most 10^9")
    require(0 < tagger.ridge <= 1e50, "ridge must be positive: (12) alone is underdetermined; and at most 1e50")
    require(0 < tagger.step1_tolerance < 1, "step1_tolerance must lie in (0, 1)")
    require(tagger.step1_passes >= 1, "step1_passes must be at least 1")
    times = as_numbers(tagger.evaluate_at, "evaluate_at")
    require(
        times.ndim == 1 and bool(((times >= 0) & (times <= tagger.passes)).all() and (np.diff(times) > 0).all()),
        "evaluate_at must increase between 0 and passes",
    )
