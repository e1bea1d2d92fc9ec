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
    counts + 1, so n − e_b always comes earlier. The commonest tags are the lowest digits: states that differ in
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
    stride = np.ones(len(sizes) + 1, np.uint64)
    for b in range(len(sizes)):
        stride[b + 1] = stride[b] * np.uint64(sizes[b] + 1)
    states = stride[len(sizes)]
    inner = _inner(stride)
    depth = _depths(stride, inner)
    weight = _weights(p, sizes, stride, inner, depth)
    evidence = _forward(weight, sizes, stride, inner, work[0, :states])
    if not evidence > SMALLEST:
        return exact_in_logs(potentials, counts, post, work)
    found = np.zeros(weight.shape)
    _backward(weight, sizes, stride, inner, work[0, :states], work[1, :states], found)
    mass = np.zeros((given, w + 1))  # of a step by each tag *to* each level; no step leads to level 0
    for b in range(given):
        outside = int(b >= inner)
        for level in range(weight.shape[1] - outside):
            for k in range(len(depth)):
                mass[b, level + depth[k] + outside] += weight[b, level, k] * found[b, level, k]
        for j in range(w):
            post[j, order[b]] = mass[b, j + 1]
    return float(np.log(evidence) + removed)


@njit(cache=True)
def _inner(stride: Array) -> int:
    """How many tags make a block: at least two, more while blocks stay fewer than places and short.

    Long blocks save time between tags, but each place of a block takes a weight for each tag and level.
    """
    inner, last = 2, len(stride) - 1
    while inner < last and stride[inner] < 64 and stride[inner + 1] * stride[inner + 1] <= stride[last]:
        inner += 1
    return inner


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
def _depths(stride: Array, inner: int) -> Array:
    """How many positions the tags of a block fill, at each of its places."""
    depth = np.zeros(stride[inner], np.int64)
    for b in range(inner):
        for k in range(stride[b], stride[b + 1]):
            depth[k] = depth[k - stride[b]] + 1
    return depth


@njit(cache=True)
def _weights(p: Array, counts: Array, stride: Array, inner: int, depth: Array) -> Array:
    """weight[b, l, k]: what a step by tag b weighs, where the tags outside a block fill l positions.

    The step leads *from* place k of a block if b is outside; it leads *to* place k if b is in the block, and is 0
    where no such step is. A row of zeros follows the block.
    """
    others, size = counts[inner:].sum(), len(depth)
    weight = np.zeros((len(counts), others + 1, size + counts[0] + 1))
    for b in range(inner):
        for start in range(stride[b], size, stride[b + 1]):
            for level in range(others + 1):
                for k in range(start, start + stride[b + 1] - stride[b]):
                    weight[b, level, k] = p[level + depth[k] - 1, b]
    for b in range(inner, len(counts)):
        for level in range(others):
            for k in range(size):
                weight[b, level, k] = p[level + depth[k], b]
    return weight


# Indices of the inner loops are unsigned: numba then need not ask whether they count from the end.
@njit(cache=True)
def _forward(weight: Array, counts: Array, stride: Array, inner: int, alpha: Array) -> float:
    """alpha[n]: what all ways to fill the first |n| positions with the tags n weigh; its last entry."""
    size: Any = stride[inner]
    used = np.zeros(len(counts), np.int64)
    tag, step = np.empty(len(counts), np.uint64), np.empty(len(counts), np.uint64)
    top = 0
    level: Any = np.int64(0)  # not a constant: what takes one is compiled for it, too
    base: Any = np.uint64(0)
    gained = np.zeros(size)  # what steps from other blocks lead to
    gained[0] = 1.0
    while True:
        _fill(weight, level, gained, stride, inner, alpha, base)
        base += size
        if base == len(alpha):
            return float(alpha[len(alpha) - 1])
        b = inner
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
def _fill(weight: Array, level: int, gained: Array, stride: Array, inner: int, alpha: Array, base: int) -> None:
    """The forward sums of a block, given what steps from other blocks add: row by row of the commonest tag."""
    side: Any = stride[1]
    start: Any = np.uint64(0)
    while start < len(gained):
        for b in range(np.uint64(2), np.uint64(inner)):
            if start >= stride[b]:  # else no step leads here; elsewhere a weight of zero says so
                step = base - stride[b]
                for k in range(start, start + stride[2]):
                    gained[k] += alpha[step + k] * weight[b, level, k]
        end = start + stride[2]
        here = 0.0
        for k in range(start, start + side):
            here = gained[k] + here * weight[0, level, k]
            alpha[base + k] = here
        start += side
        while start < end:
            here = 0.0
            for k in range(start, start + side):
                here = (gained[k] + alpha[base + k - side] * weight[1, level, k]) + here * weight[0, level, k]
                alpha[base + k] = here
            start += side


@njit(cache=True)
def _backward(weight: Array, counts: Array, stride: Array, inner: int, alpha: Array, beta: Array, found: Array) -> None:
    """Count down: beta[n] weighs all ways to finish from n; found[b, l, k] adds up alpha·beta over each step's ends."""
    size: Any = stride[inner]
    left = np.zeros(len(counts), np.int64)
    tag, step = np.empty(len(counts), np.uint64), np.empty(len(counts), np.uint64)
    top, level = 0, weight.shape[1] - 1
    base: Any = np.uint64(len(alpha)) - size
    here = np.zeros(size + stride[1])  # what steps to other blocks add, then beta of the block; and a row of zeros
    here[size - np.uint64(1)] = 1.0 / alpha[-1]
    while True:
        _drain(weight, level, here, stride, inner)
        for k in range(size):
            beta[base + k] = here[k]
        for b in range(np.uint64(inner)):
            first = stride[b]
            before = base - first
            for k in range(first, size):
                found[b, level, k] += alpha[before + k] * here[k]
        if base == 0:
            return
        base -= size
        b = inner
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
                found[b, level, k] += alpha[base + k] * beta[after + k]


@njit(cache=True)
def _drain(weight: Array, level: int, here: Array, stride: Array, inner: int) -> None:
    """The backward sums of a block, in place of what steps to other blocks add."""
    one, side = np.uint64(1), stride[1]
    end: Any = np.uint64(len(here)) - side
    size = end
    while end > 0:
        start = end - stride[2]
        for b in range(np.uint64(2), np.uint64(inner)):
            step = stride[b]
            if start + step < size:
                for k in range(start, end):
                    here[k] += here[k + step] * weight[b, level, k + step]
        while end > start:
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
