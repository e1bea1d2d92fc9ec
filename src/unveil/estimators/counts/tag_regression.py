"""Step 1 of the moment estimator for tag counts: which tags a word has, by linear regression (12).

The expected count of tag b in a window is Σ w(word, b) over its tokens (11). There are more words than
windows, so (12) alone leaves w open: it is pulled towards the overall shares of the tags by a ridge, or starts
there. The system is solved by conjugate gradients, every tag a column of its own, each iteration going over the windows
once, as one pass does; or by stochastic gradients, a window a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import matmul

import numpy as np
from scipy import sparse

from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.passes import Descent, count_pass
from unveil.numerics.simplex import project_to_simplex
from unveil.types import Array, Floats


def word_tags(
    windows: Windows,
    counts: Array,
    asked: Array,
    features: Array | None,
    *,
    ridge: float,
    tolerance: float,
    passes: int,
) -> tuple[Floats, int]:
    """ŵ of (12), a distribution over the tags for each word, and the passes over the windows that it took.

    ŵ is the tags' shares plus a free row for each word or, given `features`, a linear function of the
    word's features; the ridge keeps that part small. Rows are then projected to the simplex, as w is a
    distribution: with negative entries the second step would be unbounded.
    """
    shares = tag_shares(counts, asked, windows.lengths)
    design = window_design(windows)
    # What no window shows keeps its prior: only columns with entries take part.
    words = np.flatnonzero(design.sum(axis=0))
    factors, spread = [design[:, words]], None
    if features is not None:
        spread = feature_design(features, int(features.max()) + 1)
        spread = spread[:, np.flatnonzero(spread[words].sum(axis=0))]
        factors.append(spread[words])
    residual = counts - windows.lengths[:, None] * shares
    solution, took = ridge_by_passes(factors, residual, asked, ridge, tolerance, passes)
    free = np.zeros((len(windows.words), len(shares)))
    if spread is None:
        free[words] = solution
    else:
        free = spread @ solution
    return project_to_simplex(shares + free), took


class StochasticRegression:
    """ŵ of (12) by stochastic gradients from the tags' overall shares: the average of the iterates, or the last one.

    The iterate after s steps weighs s. The rate falls with the root of the passes, from `rate` over the mean squared
    norm of the rows of (12), so that the average comes to the minimum nearest to the start. Without averaging the rate
    stays, and the last iterate moves about for ever.
    """

    def __init__(self, windows: Windows, counts: Array, asked: Array, rate: float, averaged: bool) -> None:
        self.design, self.counts, self.asked = window_design(windows), counts, asked
        self.text = windows.tokens, windows.start, windows.stop
        self.start = np.tile(tag_shares(counts, asked, windows.lengths), (len(windows.words), 1))
        norm = float(self.design.multiply(self.design).sum()) / len(windows)
        step = (rate / norm, float(len(windows))) if averaged else (rate, 0.0)
        self.state: Descent = (self.start.copy(), np.zeros_like(self.start), np.zeros(2), *step)

    def descend(self, order: Array) -> None:
        """One pass over some windows, in the order given."""
        count_pass(self.state, self.text, order, self.counts, self.asked)

    @property
    def solution(self) -> Floats:
        """What step 1 has come to, not projected."""
        raw, lag, clock, *_ = self.state
        return np.asarray(raw - lag / max(clock[1], 1.0))

    @property
    def gap(self) -> float:
        """The norm of the gradient of (12) there, over what it was at the start: 0 at the minimum."""
        now, then = (
            np.linalg.norm(self.design.T @ np.where(self.asked, self.design @ w - self.counts, 0.0))
            for w in (self.solution, self.start)
        )
        return float(now / then) if then > 0 else 0.0


def _apply(factors: Sequence[sparse.csr_array], v: Floats) -> Floats:
    for factor in reversed(factors):
        v = factor @ v
    return v


def window_design(windows: Windows) -> sparse.csr_array:
    """(windows, words): how often each word occurs in each window."""
    rows = np.repeat(np.arange(len(windows)), windows.lengths)
    columns = windows.tokens[windows.positions]
    ones = np.ones(len(rows))
    return sparse.csr_array((ones, (rows, columns)), shape=(len(windows), len(windows.words)))


def feature_design(features: Array, n_features: int) -> sparse.csr_array:
    """(words, features): which features each word has."""
    rows, kinds = np.nonzero(features >= 0)
    columns = features[rows, kinds]
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(features), n_features))


def tag_shares(counts: Array, asked: Array, lengths: Array) -> Floats:
    """The share of each tag among the tokens where it was asked for; a tag never asked for has share zero."""
    tokens = np.where(asked, lengths[:, None], 0).sum(axis=0)
    seen = np.where(asked, counts, 0).sum(axis=0)
    return np.asarray(np.divide(seen, tokens, out=np.zeros(len(tokens)), where=tokens > 0))


def ridge_by_passes(
    factors: Sequence[sparse.csr_array], residual: Floats, asked: Array, ridge: float, tolerance: float, passes: int
) -> tuple[Floats, int]:
    """Minimise Σ_b ‖asked_b ⊙ (A v_b − residual_b)‖² + ridge ‖v_b‖² for all columns b: (v, passes it took).

    A is the product of the factors, applied one after the other: it has many more entries than they have. Its columns'
    squares precondition. A column b is done when the gradient's norm, so scaled, has fallen by `tolerance`.
    """
    whole, transposed = reduce(matmul, factors), [factor.T.tocsr() for factor in reversed(factors)]
    scale = np.asarray(whole.multiply(whole).sum(axis=0)) + ridge
    gradient = _apply(transposed, np.where(asked, residual, 0.0))
    solution = np.zeros_like(gradient)
    direction = gradient / scale[:, None]
    slope = np.sum(gradient * direction, axis=0)
    enough = slope * tolerance**2
    unasked = np.nonzero(~asked)
    for done in range(passes):
        active = slope > enough
        if not active.any():
            return solution, done
        seen = _apply(factors, direction)
        seen[unasked] = 0.0
        curved = _apply(transposed, seen)
        curved += ridge * direction
        bend = np.sum(direction * curved, axis=0)
        step = np.where(active, slope / np.where(bend > 0, bend, 1.0), 0.0)
        solution += step * direction
        gradient -= step * curved
        turned = gradient / scale[:, None]
        next_slope = np.sum(gradient * turned, axis=0)
        direction = turned + np.where(active, next_slope / np.where(slope > 0, slope, 1.0), 0.0) * direction
        slope = np.where(active, next_slope, slope)
    return solution, passes
