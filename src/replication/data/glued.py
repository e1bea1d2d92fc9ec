"""Undoing a copy of the treebank sample that glued punctuation and clitics to neighbouring words."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from unveil.types import Array

_OPENING = {"$": "$", "``": "``"}
_CLOSING = {
    ",": ",",
    "?": ".",
    "!": ".",
    ":": ":",
    ";": ":",
    "%": "NN",
    "''": "''",
    "n't": "RB",
    "'re": "VBP",
    "'m": "VBP",
    "'d": "MD",
}
_TAIL = re.compile(r"(?<=.)(''|n't|'re|'m|'d|'s|(?<=s)'|[,?!:;%])$")
_FINAL_STOP = re.compile(r"(?<=.)\.$")
#: After these, 's is a verb more often than a possessive.
_PRONOUN_TAGS = frozenset({"PRP", "EX", "WP", "DT", "WRB", "WDT", "RB"})


def unglue(sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]]) -> tuple[Array, Array, Array]:
    """(words, tags, sentence lengths) of the original tokens, as far as they can be told.

    What was dropped follows from the word itself: a comma's tag is a comma. A full stop belongs to an
    abbreviation unless it ends the sentence or stands before a quotation mark. Every distinct word is taken
    apart once.
    """
    lengths = np.array([len(each) for each in sentences])
    last = np.zeros(lengths.sum(), dtype=bool)
    last[np.cumsum(lengths)[lengths > 0] - 1] = True
    glued = pd.MultiIndex.from_arrays([np.concatenate(sentences), np.concatenate(tags), last])
    codes, kinds = pd.factorize(glued)
    apart = [_take_apart(word, tag, final) for word, tag, final in kinds]
    counts = np.array([len(each) for each in apart])
    starts = np.cumsum(counts) - counts
    flat = pd.DataFrame([pair for each in apart for pair in each], columns=["word", "tag"])
    repeated = counts[codes]
    within = np.arange(repeated.sum()) - np.repeat(np.cumsum(repeated) - repeated, repeated)
    chosen = flat.iloc[np.repeat(starts[codes], repeated) + within]
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return (
        chosen["word"].to_numpy(),
        chosen["tag"].to_numpy(),
        np.bincount(owner, weights=repeated, minlength=len(lengths)).astype(int),
    )


def _take_apart(word: str, tag: str, final: bool) -> list[tuple[str, str]]:
    """The tokens of one glued word; `tag` belongs to its core."""
    front: list[tuple[str, str]] = []
    for mark, name in _OPENING.items():
        if word.startswith(mark) and len(word) > len(mark):
            front, word = [(mark, name)], word[len(mark) :]
            break
    back: list[tuple[str, str]] = []
    while True:
        stops = final or any(token == "''" for token, _ in back)  # noqa: S105 - a quotation mark, not a secret
        cut = _TAIL.search(word) or (_FINAL_STOP.search(word) if stops and not any(t == "." for t, _ in back) else None)
        if cut is None:
            break
        piece = cut.group()
        back.insert(0, (piece, _closing_tag(piece, tag)))
        word = word[: cut.start()]
    core = re.sub(r"(?<!\\)/", r"\\/", word)
    return [*front, (core, tag), *back]


def _closing_tag(piece: str, core: str) -> str:
    if piece == "'s":
        return "VBZ" if core in _PRONOUN_TAGS else "POS"
    return {".": ".", "'": "POS"}.get(piece) or _CLOSING[piece]
