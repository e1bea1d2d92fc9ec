from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.random import default_rng
from numpy.testing import assert_allclose
from scipy.special import log_softmax, logsumexp

from unveil.estimators.counts.passes import BEAM, EXACT, MERGED, marginal_pass, soft_pass
from unveil.estimators.counts.window_steps import lane_sum, predict_words, score_words
from unveil.types import Array, Floats

# Five words with two features each; the window is tokens 1 to 4, words 2, 0 and 2 again.
FEATURES = np.array([[0, 3], [1, 3], [0, 4], [2, 5], [1, -1]], dtype=np.int32)
TOKENS = np.array([3, 2, 0, 2, 1])
START, STOP, ORDER = np.array([1]), np.array([4]), np.array([0])
K = 3
SEEN = TOKENS, START, STOP


def learning(weights: Floats) -> tuple[Array, Array, Array]:
    return weights, np.zeros_like(weights), FEATURES


def theta() -> Floats:
    return default_rng(4).normal(size=(6, K))


def scores_of(weights: Floats) -> Floats:
    window = TOKENS[START[0] : STOP[0]]
    return np.array([sum(weights[f] for f in FEATURES[word] if f >= 0) for word in window])


def log_marginal(weights: Floats, counts: Array, asked: Array) -> float:
    """The log-likelihood of the counts, by going through all K³ tag sequences."""
    logs = log_softmax(scores_of(weights), axis=1)
    terms = [
        logs[np.arange(3), list(y)].sum()
        for y in product(range(K), repeat=3)
        if (np.bincount(y, minlength=K) == counts)[asked].all()
    ]
    return float(logsumexp(terms))


def numerical_gradient(weights: Floats, counts: Array, asked: Array) -> Floats:
    gradient, step = np.zeros_like(weights), 1e-5
    for cell in np.ndindex(*weights.shape):
        moved = np.zeros_like(weights)
        moved[cell] = step
        up, down = (log_marginal(weights + sign * moved, counts, asked) for sign in (1, -1))
        gradient[cell] = (up - down) / (2 * step)
    return gradient


def rooms(how: Array) -> tuple[Array, Array | None, int | None, int | None]:
    """The inferences of windows, and what those that occur work with."""
    return (
        how,
        np.empty((2, 64)) if EXACT in how else None,
        500 if BEAM in how else None,
        500 if MERGED in how else None,
    )


def test_inferences_mix_in_one_pass() -> None:
    """Three windows with the same counts, by two inferences, go the same way as all by one."""
    seen, order = (TOKENS, np.repeat(START, 3), np.repeat(STOP, 3)), np.arange(3)
    counts, asked = np.array([[2, 0, 1]] * 3), np.ones((3, K), dtype=bool)
    ways = [np.array(how) for how in ([MERGED, EXACT, MERGED], [EXACT] * 3, [BEAM] * 3, [MERGED] * 3)]
    moved = [theta() for _ in ways]
    values = [
        marginal_pass(learning(after), seen, order, counts, asked, *rooms(how), (0.3, False))
        for after, how in zip(moved, ways, strict=True)
    ]
    assert_allclose(values, values[0], rtol=1e-10)
    for after in moved[1:]:
        assert_allclose(after, moved[0], rtol=1e-9)


@pytest.mark.parametrize("inference", [EXACT, BEAM, MERGED])
@pytest.mark.parametrize(
    ("counts", "asked"),
    [
        ([2, 0, 1], [True, True, True]), ([1, 1, 1], [True, True, True]), ([0, 2, 0], [False, True, False]),
        ([1, 0, 0], [True, True, False]), ([0, 0, 3], [False, False, True]), ([0, 0, 0], [False, True, False]),
    ],
)  # fmt: skip
def test_a_step_is_the_gradient_of_the_marginal_likelihood(
    counts: list[int], asked: list[bool], inference: int
) -> None:
    before, after = theta(), theta()
    given, mask = np.array([counts]), np.array([asked])
    how = np.array([inference])
    value = marginal_pass(learning(after), SEEN, ORDER, given, mask, *rooms(how), (1.0, False))
    assert_allclose(value, log_marginal(before, given[0], mask[0]), atol=1e-10)
    assert_allclose(after - before, numerical_gradient(before, given[0], mask[0]), atol=1e-8)


def test_predictions_are_the_first_of_the_highest_scores() -> None:
    weights, words = theta(), np.arange(len(FEATURES))
    expected = np.array([sum(weights[f] for f in row if f >= 0) for row in FEATURES])
    assert predict_words(weights, FEATURES, words).tolist() == expected.argmax(axis=1).tolist()
    assert predict_words(np.zeros((6, K)), FEATURES, words).tolist() == [0] * len(words)


@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize("kinds", [1, 3, 4, 8, 9])
@pytest.mark.parametrize("tags", [1, 2, 45])
def test_soft_steps_score_and_move_features_as_dense_ones_do(kinds: int, tags: int, adaptive: bool) -> None:
    """Features of one position, of two and of several, words that stand twice, and unknown features at any place."""
    rng = default_rng(kinds)
    features = rng.integers(0, 12, (7, kinds)).astype(np.int32) + 12 * np.arange(kinds, dtype=np.int32)
    features[1, -1] = features[4, 0] = features[5, kinds // 2] = -1
    tokens, targets = rng.integers(0, 7, 30), rng.dirichlet(np.ones(tags), 7)
    start, stop = np.array([0, 1, 12]), np.array([1, 12, 30])
    design = np.zeros((7, 12 * kinds))
    for word, row in enumerate(features):
        design[word, row[row >= 0]] = 1
    moved = rng.normal(size=(12 * kinds, tags))
    dense, squares, added = moved.copy(), np.zeros_like(moved), np.zeros_like(moved)
    scores = np.empty((7, tags))
    score_words(moved, features, np.arange(7), scores)
    assert_allclose(scores, design @ dense, atol=1e-13)
    model, order = (moved, squares, features), np.array([2, 0, 1])
    value, expected = soft_pass(model, (tokens, start, stop), order, targets, tokens, (0.2, adaptive)), 0.0
    for i in (2, 0, 1):
        words = tokens[start[i] : stop[i]]
        logs = log_softmax(design[words] @ dense, axis=1)
        expected += np.sum(targets[words] * logs)
        gradient = design[words].T @ (targets[words] - np.exp(logs))
        added += gradient**2 if adaptive else 0.0
        dense += 0.2 * gradient / (np.sqrt(added + 1e-12) if adaptive else 1.0)
    assert_allclose(value, expected, rtol=1e-10, atol=1e-12)
    assert_allclose(moved, dense, atol=1e-10)
    assert_allclose(squares, added, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7, 8, 45])
def test_sums_are_those_of_whole_numbers(size: int) -> None:
    row = default_rng(size).integers(-1000, 1000, size).astype(float)
    assert lane_sum(row) == row.sum()
