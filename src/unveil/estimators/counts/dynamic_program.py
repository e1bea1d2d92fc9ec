"""Compiled inference for tag counts: which tag sits where, given how often each occurs in a window.

The model is fully factorised, so a sequence y of a window weighs exp Σ_j potentials[j, y_j], and the counts
admit only its rearrangements. The kernels here and in `beams` take potentials (w, B) and counts (B,)
of the B tags that occur, write the posterior marginals into `post` (w, B) and return the log evidence, log
Σ over consistent sequences. They trust their arguments: `count_posterior` checks them first.
"""

from __future__ import annotations

from typing import Any

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
    counts + 1, so n − e_b always comes earlier. The two commonest tags are the lowest digits: states that differ in
    these alone are a block of consecutive numbers, and a step by any other tag leads from one block to another, at one
    place each, which the processor does several at a time. A stack keeps the other tags with n_b > 0, highest digit
    first: counting up pops the digits that roll over and pushes at most one.
    """
    w, given = potentials.shape
    order = _falling(counts)
    sizes = np.zeros(max(given, 2), np.int64)
    p = np.zeros((w, len(sizes)))
    for b in range(given):
        sizes[b] = counts[order[b]]
        for j in range(w):  # one array set to another would have to be compiled with the text of an error
            p[j, b] = potentials[j, order[b]]
    removed = balance(p[:, :given], sizes[:given], p[:, :given])
    stride = np.ones(len(sizes), np.uint64)
    states = sizes[0] + 1
    for b in range(1, len(sizes)):
        stride[b] = states
        states *= sizes[b] + 1
    depth = _depths(sizes)
    weight = _weights(p, sizes, depth)
    evidence = _forward(weight, sizes, stride, work[0, :states])
    if not evidence > SMALLEST:
        return exact_in_logs(potentials, counts, post, work)
    found = np.zeros(weight.shape)
    _backward(weight, sizes, stride, work[0, :states], work[1, :states], found)
    post[:w, :given] = 0.0
    for b in range(given):
        within = b < 2
        for level in range(weight.shape[1] - (not within)):
            for k in range(len(depth)):
                if weight[b, level, k] > 0.0:
                    post[level + depth[k] - within, order[b]] += weight[b, level, k] * found[b, level, k]
    return float(np.log(evidence) + removed)


@njit(cache=True)
def _falling(counts: Array) -> Array:
    """The tags from the commonest on, ties in order: by insertion, for `np.argsort` takes seconds to compile."""
    order = np.arange(len(counts))
    for i in range(1, len(counts)):
        b, place = order[i], i
        while place > 0 and counts[order[place - 1]] < counts[b]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = b
    return order


@njit(cache=True)
def _depths(counts: Array) -> Array:
    """How many positions the two commonest tags fill, at each place k of a block."""
    depth = np.empty((counts[1] + 1) * (counts[0] + 1), np.int64)
    k = 0
    for second in range(counts[1] + 1):
        for both in range(second, second + counts[0] + 1):
            depth[k] = both
            k += 1
    return depth


@njit(cache=True)
def _weights(p: Array, counts: Array, depth: Array) -> Array:
    """weight[b, l, k]: what a step by tag b weighs, where the other tags than the two commonest fill l positions.

    The step leads *from* place k of a block if b is another tag; it leads *to* place k if b is one of the two, and is 0
    where no such step is. A row of zeros follows the block.
    """
    others, side, size = counts[2:].sum(), counts[0] + 1, len(depth)
    weight = np.zeros((len(counts), others + 1, size + side))
    for level in range(others + 1):
        for k in range(size):
            if k % side > 0:
                weight[0, level, k] = p[level + depth[k] - 1, 0]
            if k >= side:
                weight[1, level, k] = p[level + depth[k] - 1, 1]
    for b in range(2, len(counts)):
        for level in range(others):
            for k in range(size):
                weight[b, level, k] = p[level + depth[k], b]
    return weight


# Indices of the inner loops are unsigned: numba then need not ask whether they count from the end.
@njit(cache=True)
def _forward(weight: Array, counts: Array, stride: Array, alpha: Array) -> float:
    """alpha[n]: what all ways to fill the first |n| positions with the tags n weigh; its last entry."""
    side: Any = np.uint64(counts[0] + 1)
    size = side * np.uint64(counts[1] + 1)
    used = np.zeros(len(counts), np.int64)
    tag, step = np.empty(len(counts), np.uint64), np.empty(len(counts), np.uint64)
    top, level = 0, 0
    base: Any = np.uint64(0)
    gained = np.zeros(size)  # what steps from other blocks lead to
    gained[0] = 1.0
    while True:
        _fill(weight, level, gained, alpha, base, side)
        base += size
        if base == len(alpha):
            return float(alpha[len(alpha) - 1])
        b = 2
        while used[b] == counts[b]:
            used[b] = 0
            level -= counts[b]
            top -= 1
            b += 1
        if used[b] == 0:
            tag[top], step[top] = b, stride[b]
            top += 1
        used[b] += 1
        gained[:] = 0.0
        for i in range(np.uint64(top)):
            b, before = tag[i], base - step[i]
            for k in range(size):
                gained[k] += alpha[before + k] * weight[b, level, k]
        level += 1


@njit(cache=True)
def _fill(weight: Array, level: int, gained: Array, alpha: Array, base: int, side: int) -> None:
    """The forward sums of a block, given what steps from other blocks add: row by row of the commonest tag."""
    here = 0.0
    for k in range(side):
        here = gained[k] + here * weight[0, level, k]
        alpha[base + k] = here
    start = side
    while start < len(gained):
        here = 0.0
        for k in range(start, start + side):
            here = (gained[k] + alpha[base + k - side] * weight[1, level, k]) + here * weight[0, level, k]
            alpha[base + k] = here
        start += side


@njit(cache=True)
def _backward(weight: Array, counts: Array, stride: Array, alpha: Array, beta: Array, found: Array) -> None:
    """Count down: beta[n] weighs all ways to finish from n; found[b, l, k] adds up alpha·beta over each step's ends."""
    side: Any = np.uint64(counts[0] + 1)
    size = side * np.uint64(counts[1] + 1)
    left = np.zeros(len(counts), np.int64)
    tag, step = np.empty(len(counts), np.uint64), np.empty(len(counts), np.uint64)
    top, level = 0, weight.shape[1] - 1
    base: Any = np.uint64(len(alpha)) - size
    here = np.zeros(size + side)  # what steps to other blocks add, then beta of the block; and a row of zeros
    here[size - np.uint64(1)] = 1.0 / alpha[-1]
    while True:
        _drain(weight, level, here, side)
        for k in range(size):
            beta[base + k] = here[k]
        for b in range(2):
            for k in range(stride[b], size):
                found[b, level, k] += alpha[base + k - stride[b]] * here[k]
        if base == 0:
            return
        base -= size
        b = 2
        while left[b] == counts[b]:
            left[b] = 0
            level += counts[b]
            top -= 1
            b += 1
        if left[b] == 0:
            tag[top], step[top] = b, stride[b]
            top += 1
        left[b] += 1
        level -= 1
        here[:] = 0.0
        for i in range(np.uint64(top)):
            b, after = tag[i], base + step[i]
            for k in range(size):
                here[k] += beta[after + k] * weight[b, level, k]
            for k in range(size):
                found[b, level, k] += alpha[base + k] * beta[after + k]


@njit(cache=True)
def _drain(weight: Array, level: int, here: Array, side: int) -> None:
    """The backward sums of a block, in place of what steps to other blocks add."""
    one, end = np.uint64(1), np.uint64(len(here)) - side
    while end > 0:
        last = 0.0
        for k in range(end - one, end - one - side, -1):
            last = (here[k] + here[k + side] * weight[1, level, k + side]) + last * weight[0, level, k + one]
            here[k] = last
        end -= side


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
