from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusals import refused
from unveil.estimators.counts.features import Windows, feature_index, feature_table, signature, word_features


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Pierre", "Aa"), ("IBM", "A"), ("will", "a"), ("61", "0"), ("mid-1990s", "a-0a"), ("McDonald", "Aa"),
        ("eBay", "aA"), ("$", "$"), ("1.5", "0.0"), ("Élan", "Aa"), ("", ""),
    ],
)  # fmt: skip
def test_signatures(word: str, expected: str) -> None:
    assert signature(word) == expected


def test_features_of_a_word() -> None:
    parts = ("word=Dogs", "prefix1=D", "prefix2=Do", "prefix3=Dog", "suffix1=s", "suffix2=gs", "suffix3=ogs")
    assert word_features("Dogs") == (*parts, "signature=Aa")


@given(st.lists(st.text(max_size=6), min_size=1, max_size=8))
def test_tables_hold_every_feature_and_mark_unknown_ones(words: list[str]) -> None:
    index = feature_index(words)
    names = list(index)
    table = feature_table(words, index)
    for word, row in zip(words, table, strict=True):
        assert tuple(names[f] for f in row) == word_features(word)
    assert (feature_table(["\0never seen"], {}) == -1).all()


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), min_size=1, max_size=5))
def test_windows_keep_their_words(lists: list[list[str]]) -> None:
    windows = Windows.of(lists)
    back = [windows.words[windows.tokens[a:b]].tolist() for a, b in zip(windows.start, windows.stop, strict=True)]
    assert back == lists
    assert windows.lengths.tolist() == [len(words) for words in lists]
    assert windows.positions.tolist() == list(range(sum(map(len, lists))))


def test_positions_of_windows_with_gaps_and_overlaps() -> None:
    windows = Windows(np.array(["a"]), np.zeros(9, dtype=int), np.array([1, 6, 5]), np.array([3, 7, 8]))
    assert windows.positions.tolist() == [1, 2, 6, 5, 6, 7]
    whole = Windows(windows.words, windows.tokens, windows.start, windows.stop, np.array([1, 9]))
    assert [ends.tolist() for ends in whole.spans] == [[1, 1, 1], [9, 9, 9]]


test_bad_windows_are_refused = refused(
    ([0, 1], [0], [0], "windows must not be empty"),
    ([0, 1], [0], [3], "inside the text"),
    ([0, 1], [-1], [1], "inside the text"),
    ([0, 2], [0], [1], "numbers of words"),
    ([0, 1], [0, 1], [2], "one entry a window"),
    ([0.0, 1.0], [0], [1], "whole numbers"),
    call=lambda tokens, start, stop: Windows(np.array(["a", "b"]), np.array(tokens), np.array(start), np.array(stop)),
)


test_no_windows_are_refused = refused(
    (lambda: Windows.of([]), "windows must not be empty"),
    (lambda: Windows.of([["a"], []]), "windows must not be empty"),
    (
        lambda: Windows(*map(np.array, (["a"], [0], [0], [1], [0.0, 1.0]))),
        "sentences must be a vector of whole numbers",
    ),
)
