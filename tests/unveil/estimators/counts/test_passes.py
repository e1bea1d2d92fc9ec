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


def learning(weights: Floats, squares: Floats | None = None) -> tuple[Array, Array, Array]:
    return weights, np.zeros_like(weights) if squares is None else squares, FEATURES


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


def test_outside_the_window_nothing_moves() -> None:
    """Features 1, 2 and 5 belong to words outside the window: their rows stay, bit for bit."""
    after = theta()
    counts, asked, how = np.array([[1, 1, 1]]), np.ones((1, K), dtype=bool), np.array([EXACT])
    marginal_pass(learning(after), SEEN, ORDER, counts, asked, *rooms(how), (0.5, True))
    moved = (after != theta()).any(axis=1)
    assert moved.tolist() == [True, False, False, True, True, False]


def test_a_soft_step_is_the_gradient_of_the_expected_log_likelihood() -> None:
    targets = default_rng(0).dirichlet(np.ones(K), size=len(FEATURES))
    before, after = theta(), theta()
    value = soft_pass(learning(after), SEEN, ORDER, targets, TOKENS, (1.0, False))
    logs = log_softmax(scores_of(before), axis=1)
    window = TOKENS[1:4]
    assert_allclose(value, np.sum(targets[window] * logs), atol=1e-12)
    expected = np.zeros_like(before)
    for j, word in enumerate(window):
        for f in FEATURES[word]:
            expected[f] += targets[word] - np.exp(logs[j])
    assert_allclose(after - before, expected, atol=1e-12)


def test_adagrad_divides_by_the_root_of_the_sum_of_squares() -> None:
    targets = np.eye(K)
    plain, adaptive, squares = theta(), theta(), np.zeros((6, K))
    steps = []
    for _ in range(3):
        before = adaptive.copy()
        plain[:] = adaptive
        soft_pass(learning(plain, squares.copy()), SEEN, ORDER, targets, TOKENS % K, (1.0, False))
        gradient = plain - before
        steps.append(gradient)
        soft_pass(learning(adaptive, squares), SEEN, ORDER, targets, TOKENS % K, (0.1, True))
        assert_allclose(squares, np.sum(np.square(steps), axis=0), rtol=1e-12)
        expected = 0.1 * gradient / np.sqrt(np.sum(np.square(steps), axis=0) + 1e-12)
        assert_allclose(adaptive - before, expected, rtol=1e-10, atol=1e-15)


def test_scores_and_predictions() -> None:
    weights, words = theta(), np.arange(len(FEATURES))
    scores = np.empty((len(words), K))
    score_words(weights, FEATURES, words, scores)
    expected = np.array([sum(weights[f] for f in row if f >= 0) for row in FEATURES])
    assert_allclose(scores, expected, atol=1e-15)
    assert predict_words(weights, FEATURES, words).tolist() == expected.argmax(axis=1).tolist()
    assert predict_words(np.zeros((6, K)), FEATURES, words).tolist() == [0] * len(words)


@pytest.mark.parametrize("kinds", [1, 3, 4, 8, 9])
@pytest.mark.parametrize("tags", [1, 2, 45])
def test_many_kinds_of_features_score_and_move_as_dense_ones_do(kinds: int, tags: int) -> None:
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
    soft_pass(model, (tokens, start, stop), order, targets, tokens, (0.2, True))
    for i in (2, 0, 1):
        words = tokens[start[i] : stop[i]]
        errors = targets[words] - np.exp(log_softmax(design[words] @ dense, axis=1))
        gradient = design[words].T @ errors
        added += gradient**2
        dense += 0.2 * gradient / np.sqrt(added + 1e-12)
    assert_allclose(moved, dense, atol=1e-10)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 5, 7, 8, 45])
def test_sums_are_those_of_whole_numbers(size: int) -> None:
    row = default_rng(size).integers(-1000, 1000, size).astype(float)
    assert lane_sum(row) == row.sum()
