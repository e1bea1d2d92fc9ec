from __future__ import annotations

from collections import Counter
from dataclasses import fields
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

from checks import assert_frequencies
from refusals import refused
from unveil.mechanisms.regions import RegionCounts, Regions, count_in_windows

TEXT = np.array([0, 1, 2, 1, 0, 2, 2, 1, 0, 1])
ENDS = np.array([0, 4, 5, 10])


@st.composite
def texts(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    sentences = draw(st.lists(st.lists(st.integers(0, 4), min_size=1, max_size=9), min_size=1, max_size=5))
    return [tag for sentence in sentences for tag in sentence], [0, *np.cumsum([len(s) for s in sentences]).tolist()]


@given(texts(), st.integers(1, 12), st.integers(0, 99))
def test_counts_are_those_of_a_window_inside_each_sentence(
    text: tuple[list[int], list[int]], window: int, seed: int
) -> None:
    tags, ends = text
    released = RegionCounts(window).release(np.array(tags), np.array(ends), default_rng(seed), n_tags=5)
    for i, (first, last) in enumerate(pairwise(ends)):
        start, stop = released.start[i], released.stop[i]
        assert first <= start < stop <= last
        assert stop - start == min(window, last - first)
        seen = Counter(tags[start:stop])
        assert released.counts[i].tolist() == [seen[b] for b in range(5)]
    assert released.asked.all()


def test_every_place_is_equally_likely_and_the_last_token_is_reached() -> None:
    n = 50_000
    ends = np.arange(n + 1) * 7
    released = RegionCounts(3).release(np.zeros(7 * n, dtype=int), ends, default_rng(1))
    assert_frequencies(np.bincount(released.start - ends[:-1], minlength=7), [0.2] * 5 + [0, 0])


def test_whole_sentences_without_a_window() -> None:
    released = RegionCounts(None).release(TEXT, ENDS, default_rng(0))
    assert released.start.tolist() == [0, 4, 5]
    assert released.stop.tolist() == [4, 5, 10]


@settings(max_examples=30)
@given(st.integers(0, 999))
def test_the_order_of_tags_inside_the_windows_leaves_no_trace(seed: int) -> None:
    """Counts are all that is released: rearranging the tags inside every window changes nothing."""
    before = RegionCounts(3).release(TEXT, ENDS, default_rng(seed))
    shuffled = TEXT.copy()
    for start, stop in zip(before.start, before.stop, strict=True):
        shuffled[start:stop] = default_rng(seed + 1).permutation(shuffled[start:stop])
    after = RegionCounts(3).release(shuffled, ENDS, default_rng(seed))
    for field in fields(Regions):
        assert np.array_equal(getattr(before, field.name), getattr(after, field.name))


def test_tags_are_asked_for_uniformly_without_replacement() -> None:
    n, k, asked = 40_000, 5, 2
    released = RegionCounts(1, tags=asked).release(np.arange(n) % k, np.arange(n + 1), default_rng(2))
    assert (released.asked.sum(axis=1) == asked).all()
    pairs = Counter(tuple(np.flatnonzero(row).tolist()) for row in released.asked)
    possible = list(combinations(range(k), asked))
    assert_frequencies([pairs[pair] for pair in possible], [1 / len(possible)] * len(possible))
    assert not released.counts[~released.asked].any()
    truth = count_in_windows(np.arange(n) % k, np.arange(n), np.arange(n) + 1, k)
    assert np.array_equal(released.counts[released.asked], truth[released.asked])


test_bad_input_is_refused = refused(
    (RegionCounts(2), [0, 1, -1], [0, 3], None, "negative"),
    (RegionCounts(2), [0, 1, 5], [0, 3], 3, "unknown tag 5"),
    (RegionCounts(2), [0.0, 1.0], [0, 2], None, "whole numbers"),
    (RegionCounts(2), [0, 1, 2], [0, 2, 2, 3], None, "sentences must not be empty"),
    (RegionCounts(2), [0, 1, 2], [0, 4], None, "offsets into tags"),
    (RegionCounts(2), [0, 1, 2], [0], None, "vector of offsets"),
    (RegionCounts(2, tags=4), [0, 1, 2], [0, 3], None, "at most the 3"),
    call=lambda mechanism, tags, ends, n_tags: mechanism.release(
        np.array(tags), np.array(ends), default_rng(0), n_tags=n_tags
    ),
)


test_bad_sizes_are_refused = refused((RegionCounts, 0, "window"), (lambda: RegionCounts(1, tags=0), "tags"))
