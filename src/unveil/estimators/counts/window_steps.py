"""What every compiled pass of the tagger does at a window: score its words, and move the features they have.

The model is log-linear with node features only: word v with features g₁ … g_G scores tag b by Σ_g theta[g, b].
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit

from unveil.numerics.exponential import exponential
from unveil.types import Array

#: θ, Σ gradient², and of each word the rows of θ that score it; −1 stands for none.
Model: TypeAlias = tuple[Array, Array, Array]
#: The tokens, numbers of words, and where each window starts and stops.
Text: TypeAlias = tuple[Array, Array, Array]
#: The step size, and whether it adapts.
Step: TypeAlias = tuple[float, bool]
#: Rows for sums that begin with the positions' gradients, which of them is a feature's, and the features touched.
Room: TypeAlias = tuple[Array, Array, Array]
#: Keeps AdaGrad's quotient finite where a gradient is zero.
_TINY = 1e-12


@njit(cache=True)
def score_words(theta: Array, features: Array, words: Array, scores: Array) -> None:
    """scores[j] = Σ_g theta[features[words[j], g]]; a feature −1 is unknown and scores nothing."""
    k = theta.shape[1]
    for j in range(len(words)):
        for b in range(k):
            scores[j, b] = 0.0
        for f in features[words[j]]:
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
def lane_sum(row: Array) -> float:
    """The sum, by four running sums that do not wait for each other: in the same order on every processor."""
    first = second = third = fourth = 0.0
    whole = len(row) // 4 * 4
    for b in range(0, whole, 4):
        first += row[b]
        second += row[b + 1]
        third += row[b + 2]
        fourth += row[b + 3]
    for b in range(whole, len(row)):
        first += row[b]
    return (first + second) + (third + fourth)


@njit(cache=True)
def negative_softmax(scores: Array, out: Array) -> float:
    """Write −softmax(scores); the log of its normaliser."""
    top = scores[0]
    for b in range(1, len(scores)):
        top = max(top, scores[b])
    for b in range(len(out)):
        out[b] = exponential(scores[b] - top)
    total = lane_sum(out)
    share = -1.0 / total
    for b in range(len(out)):
        out[b] *= share
    return float(top + np.log(total))


@njit(cache=True)
def longest(text: Text, order: Array) -> int:
    """The length of the longest window, at least 1."""
    most, (_, start, stop) = 1, text
    for i in order:
        most = max(most, stop[i] - start[i])
    return most


@njit(cache=True)
def scratch(model: Model, most: int) -> tuple[Array, Array, Room]:
    """Scores and gradients at up to so many positions, and the room for `climb`.

    A feature without a gradient in this window has row −1.
    """
    theta, _, features = model
    rows = most * features.shape[1]
    sums = np.empty((most + rows, theta.shape[1]))
    room = sums, np.full(theta.shape[0], -1), np.empty(rows, np.int64)
    return np.empty((most, theta.shape[1])), sums[:most], room


# By default every quotient would ask whether to raise an error, one at a time.
@njit(cache=True, error_model="numpy")
def climb(model: Model, words: Array, step: Step, room: Room) -> None:
    """Sum the positions' gradients, which the room begins with, by feature, and take the step."""
    (theta, squares, features), (rate, adaptive), (sums, row_of, touched) = model, step, room
    k, most = theta.shape[1], len(words)
    used = 0
    for j in range(len(words)):
        for f in features[words[j]]:
            if f < 0:
                continue
            row = row_of[f]
            if row < 0:
                row = most + used
                row_of[f] = row
                touched[used] = f
                used += 1
                for b in range(k):
                    sums[row, b] = sums[j, b]
            else:
                for b in range(k):
                    sums[row, b] += sums[j, b]
    for i in range(used):
        f, row = touched[i], most + i
        row_of[f] = -1
        if adaptive:
            for b in range(k):
                squares[f, b] += sums[row, b] * sums[row, b]
                theta[f, b] += rate * sums[row, b] / np.sqrt(squares[f, b] + _TINY)
        else:
            for b in range(k):
                theta[f, b] += rate * sums[row, b]
