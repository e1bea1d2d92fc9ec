"""Target-dependent Twitter sentiment: tweets that are negative, neutral or positive about something.

ASSUME: the paper names 3600 features but not how they were made; we take the 3600 most frequent 1- and
2-grams of the training tweets, with the target put back into its place, weighted by TF-IDF.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.random import Generator

from replication.data.reading import explain, number_classes, read_text, require_rows, split_in_order
from replication.data.standins import draw_labels, draw_split, draw_topics
from replication.data.texts import WORDS_AND_MARKS, weigh_terms, weigh_texts
from replication.randomness import generator
from unveil.types import Array

FEATURES = 3_600
#: ASSUME: mean ratings within this of zero count as neutral; the ratings go from -4 to 4.
_NEUTRAL = 0.5


def prepare(raw: Path) -> dict[str, Array]:
    """The fields from the official two parts, or from other tweets that a package carries."""
    if (raw / "tweets_GroundTruth.txt").exists():
        texts, labels = _read_rated(raw / "tweets_GroundTruth.txt")
        split = draw_split(generator(0, "split", "twitter"), len(texts), 0.1)
    else:
        tweets, sentiments = zip(*(_part(raw / name) for name in ("train.raw", "test.raw")), strict=True)
        texts = [tweet for part in tweets for tweet in part]
        labels, split = np.concatenate(sentiments), split_in_order(*map(len, sentiments))
    features = weigh_texts(texts, split == 0, FEATURES, (1, 2), WORDS_AND_MARKS)
    return {"features": features, "labels": labels, "split": split}


def _part(path: Path) -> tuple[list[str], Array]:
    """Three lines a tweet: its text with $T$ for the target, the target, the sentiment."""
    lines = read_text(path).strip("\n").split("\n")
    require_rows(path, len(lines) % 3 == 0 and len(lines) > 1, f"has {len(lines)} lines, which is not three a tweet")
    tweets = [tweet.replace("$T$", target) for tweet, target in zip(lines[::3], lines[1::3], strict=True)]
    with explain(path):
        sentiments = np.array(lines[2::3]).astype(np.int64)
    return tweets, number_classes(path, sentiments, [-1, 0, 1])


def _read_rated(path: Path) -> tuple[list[str], Array]:
    """One tweet a line: number, mean rating from -4 to 4, text."""
    rows = [line.split("\t", 2) for line in read_text(path).replace("\r\n", "\n").strip("\n").split("\n")]
    require_rows(path, all(len(row) == 3 for row in rows), "has lines that are not number, rating and text")
    with explain(path):
        ratings = pd.Series([row[1] for row in rows]).astype(np.float64).to_numpy()
    require_rows(path, (np.abs(ratings) <= 4).all(), "has ratings beyond 4")
    return [row[2] for row in rows], (1 + (ratings > _NEUTRAL).astype(int) - (ratings < -_NEUTRAL)).astype(np.uint8)


def stand_in(rng: Generator) -> dict[str, Array]:
    """As many tweets in the same shares, of words whose frequencies differ between the classes."""
    labels = draw_labels(rng, 6_940, [0.25, 0.5, 0.25])
    split = draw_split(rng, 6_940, 0.1)
    counts = draw_topics(rng, labels, FEATURES, length=18, strength=0.6)
    return {"features": weigh_terms(counts, split == 0), "labels": labels, "split": split}
