"""Synthetic data of last resort: declared models, simple and learnable, with the real data's shapes."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy import sparse

from unveil.types import Array


def draw_regression(rng: Generator, rows: int, columns: int, highest: float) -> tuple[Array, Array]:
    """Correlated features, and a noisy linear function of them between a twentieth of `highest` and `highest`."""
    features = draw_blobs(rng, np.zeros(rows, dtype=np.uint8), columns, classes=1, distance=0.0).astype(float)
    signal = features @ rng.standard_normal(columns)
    score = signal / signal.std() + 0.6 * rng.standard_normal(rows)
    return features, np.clip(highest * (0.4 + 0.13 * score), highest / 20, highest)


def draw_blobs(
    rng: Generator, labels: Array, dimensions: int, classes: int, distance: float, factors: int = 6
) -> Array:
    """Float32 rows around one centre a class, about `distance` deviations apart, with correlated noise."""
    centres = rng.standard_normal((classes, dimensions)) * (distance / np.sqrt(2 * dimensions))
    loadings = rng.standard_normal((factors, dimensions)) / np.sqrt(2 * factors)
    rows = len(labels)
    shared = rng.standard_normal((rows, factors), dtype=np.float32) @ loadings.astype(np.float32)
    own = rng.standard_normal((rows, dimensions), dtype=np.float32) * np.float32(np.sqrt(0.5))
    return np.asarray(centres.astype(np.float32)[labels] + shared + own)


def draw_labels(rng: Generator, rows: int, shares: list[float]) -> Array:
    """Class labels with the given shares."""
    return rng.choice(len(shares), size=rows, p=np.array(shares) / np.sum(shares)).astype(np.uint8)


def draw_split(rng: Generator, rows: int, share: float) -> Array:
    """Zeros, with ones at a random `share` of the places."""
    split = np.zeros(rows, dtype=np.uint8)
    split[rng.permutation(rows)[: round(rows * share)]] = 1
    return split


def draw_topics(rng: Generator, labels: Array, words: int, length: float, strength: float) -> sparse.csr_matrix:
    """Word counts of documents: Zipf's law, tilted for each class by `strength` on the log scale."""
    zipf = 1.0 / np.arange(1, words + 1)
    tilted = zipf * np.exp(strength * rng.standard_normal((int(labels.max()) + 1, words)))
    cumulative = np.cumsum(tilted / tilted.sum(axis=1, keepdims=True), axis=1)
    lengths = 1 + rng.poisson(length - 1, size=len(labels))
    document = np.repeat(np.arange(len(labels)), lengths)
    # One uniform a word, looked up in its class's distribution: class c occupies the interval [c, c + 1).
    place = labels[document] + rng.random(len(document))
    ladder = (cumulative + np.arange(len(cumulative))[:, None]).ravel()
    word = np.minimum(
        np.searchsorted(ladder, place, side="right") - labels[document].astype(np.int64) * words, words - 1
    )
    counts = sparse.csr_matrix((np.ones(len(word)), (document, word)), shape=(len(labels), words))
    counts.sum_duplicates()
    return counts
