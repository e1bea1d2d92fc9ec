"""Compiled inference for tag counts: which tag sits where, given how often each occurs in a window.

The model is fully factorised, so a sequence y of a window weighs exp Σ_j potentials[j, y_j], and the counts
admit only its rearrangements. The kernels here and in `beams` take potentials (w, B) and counts (B,)
of the B tags that occur, write the posterior marginals into `post` (w, B) and return the log evidence, log
Σ over consistent sequences. They trust their arguments: `count_posterior` checks them first.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from unveil.types import Array

_SWEEPS = 4
#: Balanced sums below this may have lost terms to underflow.
SMALLEST = 1e-140


@njit(cache=True)
def balance(potentials: Array, counts: Array, p: Array) -> float:
    """Write exp(potentials), its rows and columns rescaled, into `p`; return the log of what was divided out.

    Scaling a column multiplies every consistent sequence alike, so the posterior stays. After the two
    maxima each row and column holds a one; Sinkhorn's sweeps then bring rows near to sum 1 and columns to
    their counts, which keeps the evidence within polynomials of w from one.
    """
    w, tags = potentials.shape
    removed = 0.0
    for j in range(w):
        top = potentials[j, 0]
        for b in range(1, tags):
            top = max(top, potentials[j, b])
        removed += top
        for b in range(tags):
            p[j, b] = potentials[j, b] - top
    for b in range(tags):
        top = p[0, b]
        for j in range(1, w):
            top = max(top, p[j, b])
        removed += counts[b] * top
        for j in range(w):
            p[j, b] = np.exp(p[j, b] - top)
    column = np.ones(tags)
    for j in range(w):
        removed += _normalise_row(p, j)
    for _ in range(_SWEEPS):
        for b in range(tags):
            total = 0.0
            for j in range(w):
                total += p[j, b]
            column[b] = counts[b] / total if total > 0.0 else 1.0
            removed -= counts[b] * np.log(column[b])
        for j in range(w):
            for b in range(tags):
                p[j, b] *= column[b]
            removed += _normalise_row(p, j)
    return removed


@njit(cache=True)
def _normalise_row(p: Array, j: int) -> float:
    total = 0.0
    for b in range(p.shape[1]):
        total += p[j, b]
    for b in range(p.shape[1]):
        p[j, b] /= total
    return float(np.log(total))


@njit(cache=True)
def exact(potentials: Array, counts: Array, post: Array, work: Array) -> float:
    """Dynamic programming over count vectors; `work` (2, states) holds the forward and backward sums.

    A state n says how many of each tag the first |n| positions used; its index is a number in the mixed radix
    counts + 1, so n − e_b always comes earlier. A stack keeps the tags with n_b > 0, highest digit first: counting
    up pops the digits that roll over and pushes at most one, so each transition costs one multiplication and no
    test. The commonest tag is the lowest digit, which makes rolling over rare.
    """
    w, tags = potentials.shape
    order = np.argsort(-counts)
    counts = counts[order]
    p, marginals = np.empty((w, tags)), np.zeros((w, tags))
    for b in range(tags):
        p[:, b] = potentials[:, order[b]]
    removed = balance(p, counts, p)
    stride = np.empty(tags, np.uint64)
    states = 1
    for b in range(tags):
        stride[b] = states
        states *= counts[b] + 1
    evidence = _forward(p, counts, stride, work[0, :states])
    if not evidence > SMALLEST:
        return exact_in_logs(potentials, counts[np.argsort(order)], post, work)
    _backward(p, counts, stride, work[0, :states], work[1, :states], marginals)
    for b in range(tags):
        post[:w, order[b]] = marginals[:, b]
    return float(np.log(evidence) + removed)


# Indices of the inner loops are unsigned: numba then need not ask whether they count from the end.
@njit(cache=True)
def _forward(p: Array, counts: Array, stride: Array, alpha: Array) -> float:
    """alpha[n]: what all ways to fill the first |n| positions with the tags n weigh; its last entry."""
    tags = len(counts)
    used = np.zeros(tags, np.int64)
    tag, step = np.empty(tags, np.uint64), np.empty(tags, np.uint64)
    top, level = 0, 0
    alpha[0] = 1.0
    for n in range(np.uint64(1), np.uint64(len(alpha))):
        b = 0
        while used[b] == counts[b]:
            used[b] = 0
            level -= counts[b]
            top -= 1
            b += 1
        if used[b] == 0:
            tag[top], step[top] = b, stride[b]
            top += 1
        used[b] += 1
        row = p[level]
        total = 0.0
        for k in range(np.uint64(top)):
            total += alpha[n - step[k]] * row[tag[k]]
        level += 1
        alpha[n] = total
    return float(alpha[len(alpha) - 1])


@njit(cache=True)
def _backward(p: Array, counts: Array, stride: Array, alpha: Array, beta: Array, post: Array) -> None:
    """Count down: beta[n] weighs all ways to finish from n; each transition adds to the posterior."""
    w, tags = p.shape
    used = counts.copy()
    tag, step = np.empty(tags, np.uint64), np.empty(tags, np.uint64)
    for k in range(tags):
        tag[k], step[k] = tags - 1 - k, stride[tags - 1 - k]
    top, level = tags, w
    beta[:] = 0.0
    beta[-1] = 1.0 / alpha[-1]
    for n in range(np.uint64(len(alpha) - 1), np.uint64(0), -1):
        level -= 1
        after, row, found = beta[n], p[level], post[level]
        for k in range(np.uint64(top)):
            b, before = tag[k], n - step[k]
            share = row[b] * after
            beta[before] += share
            found[b] += alpha[before] * share
        lowest = 0
        while used[lowest] == 0:
            lowest += 1
        used[lowest] -= 1
        if used[lowest] == 0:
            top -= 1
        for lower in range(lowest - 1, -1, -1):
            used[lower] = counts[lower]
            level += counts[lower]
            tag[top], step[top] = lower, stride[lower]
            top += 1


@njit(cache=True)
def exact_in_logs(potentials: Array, counts: Array, post: Array, work: Array) -> float:
    """The same in logarithms: slower, for potentials so uneven that the balanced sums underflow."""
    w, tags = potentials.shape
    alpha, beta = work[0], work[1]
    stride = np.empty(tags, np.int64)
    states = 1
    for b in range(tags):
        stride[b] = states
        states *= counts[b] + 1
    alpha[:states] = -np.inf
    beta[:states] = -np.inf
    alpha[0] = 0.0
    beta[states - 1] = 0.0
    for n in range(states):
        level = 0
        for b in range(tags):
            level += n // stride[b] % (counts[b] + 1)
        for b in range(tags):
            if n // stride[b] % (counts[b] + 1) < counts[b]:
                after = n + stride[b]
                alpha[after] = np.logaddexp(alpha[after], alpha[n] + potentials[level, b])
    evidence = alpha[states - 1]
    post[:w, :tags] = 0.0
    for n in range(states - 2, -1, -1):
        level = 0
        for b in range(tags):
            level += n // stride[b] % (counts[b] + 1)
        for b in range(tags):
            if n // stride[b] % (counts[b] + 1) < counts[b]:
                step = potentials[level, b] + beta[n + stride[b]]
                beta[n] = np.logaddexp(beta[n], step)
                post[level, b] += np.exp(alpha[n] + step - evidence)
    return float(evidence)
