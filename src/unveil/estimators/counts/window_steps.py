"""What every compiled pass of the tagger does at a window: score its words, and move the features they have.

The model is log-linear with node features only: word v with features g₁ … g_G scores tag b by Σ_g theta[g, b].
"""

from __future__ import annotations

import numpy as np
from numba import njit

from unveil.estimators.counts.rows import exponentials, lane_sum
from unveil.types import Array

#: Keeps AdaGrad's quotient finite where a gradient is zero.
_TINY = 1e-12


@njit(cache=True)
def score_words(theta: Array, features: Array, words: Array, scores: Array) -> None:
    """scores[j] = Σ_g theta[features[words[j], g]]; a feature −1 is unknown and scores nothing."""
    k = theta.shape[1]
    for j in range(len(words)):
        for b in range(k):
            scores[j, b] = 0.0
        for g in range(features.shape[1]):
            f = features[words[j], g]
            if f >= 0:
                for b in range(k):
                    scores[j, b] += theta[f, b]


@njit(cache=True)
def predict_words(theta: Array, features: Array, words: Array) -> Array:
    """The tag of the highest score for each word; the first of equals."""
    scores = np.empty((1, theta.shape[1]))
    tags = np.empty(len(words), np.int64)
    for j in range(len(words)):
        score_words(theta, features, words[j : j + 1], scores)
        tags[j] = np.argmax(scores[0])
    return tags


@njit(cache=True)
def negative_softmax(scores: Array, out: Array) -> float:
    """Write −softmax(scores); the log of its normaliser."""
    top = scores[0]
    for b in range(1, len(scores)):
        top = max(top, scores[b])
    exponentials(scores, top, out)
    total = lane_sum(out)
    share = -1.0 / total
    for b in range(len(out)):
        out[b] *= share
    return float(top + np.log(total))


@njit(cache=True)
def longest(start: Array, stop: Array, order: Array) -> int:
    """The length of the longest window, at least 1."""
    most = 1
    for i in order:
        most = max(most, stop[i] - start[i])
    return most


@njit(cache=True)
def scratch(theta: Array, features: Array, most: int) -> tuple[Array, Array, Array]:
    """Where each feature's gradient is summed (−1: not in this window), the sums, the features touched."""
    rows = most * features.shape[1]
    return np.full(theta.shape[0], -1), np.empty((rows, theta.shape[1])), np.empty(rows, np.int64)


# By default every quotient would ask whether to raise an error, one at a time.
@njit(cache=True, error_model="numpy")
def climb(
    theta: Array,
    squares: Array,
    features: Array,
    words: Array,
    gradient: Array,
    rate: float,
    adaptive: bool,
    slot: Array,
    sums: Array,
    touched: Array,
) -> None:
    """Sum the positions' gradients by feature and take the step."""
    k = theta.shape[1]
    used = 0
    for j in range(len(words)):
        for g in range(features.shape[1]):
            f = features[words[j], g]
            if f < 0:
                continue
            s = slot[f]
            if s < 0:
                slot[f] = used
                touched[used] = f
                for b in range(k):
                    sums[used, b] = gradient[j, b]
                used += 1
            else:
                for b in range(k):
                    sums[s, b] += gradient[j, b]
    for s in range(used):
        f = touched[s]
        slot[f] = -1
        if adaptive:
            for b in range(k):
                squares[f, b] += sums[s, b] * sums[s, b]
                theta[f, b] += rate * sums[s, b] / np.sqrt(squares[f, b] + _TINY)
        else:
            for b in range(k):
                theta[f, b] += rate * sums[s, b]
