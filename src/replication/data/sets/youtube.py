"""YouTube Spam Collection: 1956 comments under five videos, spam or not.

ASSUME: the paper's features are a normalised TF-IDF vector over 1000 words and the comment's length; it does
not say how the length is scaled. Ours is log(1 + characters) as a share of the longest comment's, so that it
weighs as much as one word.
"""

from __future__ import annotations

import html
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator

from replication.data.compressed import open_unpacked
from replication.data.reading import explain, number_classes, require_rows
from replication.data.standins import draw_labels, draw_topics
from replication.data.texts import weigh_terms, weigh_texts
from unveil.types import Array

WORDS = 1_000
_VIDEOS = ("Psy", "KatyPerry", "LMFAO", "Eminem", "Shakira")
FILES = tuple(f"Youtube{number:02d}-{name}.csv" for number, name in enumerate(_VIDEOS, start=1))
_COLUMNS = ["COMMENT_ID", "AUTHOR", "DATE", "CONTENT", "CLASS"]


def prepare(raw: Path) -> dict[str, Array]:
    """All comments, video by video; there is no official split, and the words' weights come from all of them."""
    comments, labels = zip(*(_video(raw / name) for name in FILES), strict=True)
    texts = [html.unescape(comment) for video in comments for comment in video]
    words = weigh_texts(texts, np.ones(len(texts), dtype=bool), WORDS, (1, 1), r"(?u)\b\w\w+\b")
    return {"features": _with_length(words, np.array([len(each) for each in texts])), "labels": np.concatenate(labels)}


def _video(path: Path) -> tuple[list[str], Array]:
    with explain(path), open_unpacked(path) as file:
        frame = pd.read_csv(file, dtype=str, na_filter=False, encoding="utf-8-sig")
    require_rows(path, list(frame.columns) == _COLUMNS, f"does not have the columns {', '.join(_COLUMNS)}")
    with explain(path):
        kinds = frame["CLASS"].astype(np.int64).to_numpy()
    require_rows(path, len(frame), "has no rows")
    return frame["CONTENT"].str.replace("\ufeff", "").tolist(), number_classes(path, kinds, [0, 1])


def _with_length(words: Array, characters: Array) -> Array:
    length = np.log1p(characters) / np.log1p(characters.max())
    return np.hstack([words, length[:, None].astype(np.float32)])


def stand_in(rng: Generator) -> dict[str, Array]:
    """As many comments, half of them spam, which is longer and uses other words."""
    labels = draw_labels(rng, 1_956, [0.49, 0.51])
    counts = draw_topics(rng, labels, WORDS, length=15, strength=0.8)
    words = weigh_terms(counts, np.ones(len(labels), dtype=bool))
    lengths = 5 * np.asarray(counts.sum(axis=1)).ravel() * np.exp(0.5 * rng.standard_normal(len(labels)))
    return {"features": _with_length(words, lengths * (1 + labels)), "labels": labels}
