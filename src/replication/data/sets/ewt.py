"""UD English EWT: web text with Penn tags (the XPOS column), in the official parts.

Multi-word tokens and empty nodes are annotations beside the words and are left out.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator

from replication.data.reading import read_text, require_rows
from replication.data.tagged import draw_corpus, make_fields
from unveil.types import Array

#: The parts in the order of their codes: 0 train, 1 test, 2 dev.
PARTS = ("train", "test", "dev")
_WORD = re.compile(r"^(\d+)\t([^\t\n]+)\t[^\t\n]*\t[^\t\n]*\t([^\t\n]+)(?:\t[^\t\n]*){5}$", re.MULTILINE)
_NUMBERED = re.compile(r"^\d+\t", re.MULTILINE)


def prepare(raw: Path) -> dict[str, Array]:
    """The fields of the three parts, one after the other."""
    parts = [_words(raw / f"en_ewt-ud-{part}.conllu") for part in PARTS]
    lengths = [_sentence_lengths(raw, part["id"].to_numpy(dtype=np.int64)) for part in parts]
    split = np.repeat(np.arange(len(PARTS)), [len(each) for each in lengths])
    everything = pd.concat(parts, ignore_index=True)
    return make_fields(everything["word"].to_numpy(), everything["tag"].to_numpy(), np.concatenate(lengths), split)


def _words(path: Path) -> pd.DataFrame:
    content = read_text(path).replace("\r\n", "\n")
    found = _WORD.findall(content)
    require_rows(
        path, found and len(found) == len(_NUMBERED.findall(content)), "has lines without the ten columns of CoNLL-U"
    )
    require_rows(path, content.endswith("\n\n"), "ends within a sentence")
    return pd.DataFrame(found, columns=["id", "word", "tag"])


def _sentence_lengths(raw: Path, numbers: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Array:
    """Words are numbered from one in each sentence."""
    starts = np.flatnonzero(numbers == 1)
    require_rows(
        raw / "*.conllu", len(starts) and starts[0] == 0, "has a sentence that does not start with its first word"
    )
    lengths = np.diff(np.append(starts, len(numbers)))
    expected = np.arange(len(numbers)) - np.repeat(starts, lengths) + 1
    require_rows(raw / "*.conllu", (numbers == expected).all(), "has words out of order")
    return lengths


def stand_in(rng: Generator) -> dict[str, Array]:
    """A drawn corpus with the official sizes of the parts."""
    split = np.repeat(np.arange(3), [12_544, 2_077, 2_001])
    return draw_corpus(rng, len(split), split)
