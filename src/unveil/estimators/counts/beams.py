"""Compiled beam search for tag counts: the plain beam, and one that merges prefixes with equal counts.

The same arguments and results as the exact kernel in `dynamic_program`, and a width: how many prefixes or
states survive.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from unveil.estimators.counts.dynamic_program import SMALLEST, balance
from unveil.types import Array


@njit(cache=True)
def beam(potentials: Array, counts: Array, post: Array, width: int) -> float:
    """The plain beam: left to right, keep the `width` heaviest prefixes; average over the complete ones.

    The beam is kept sorted, so that the extensions by one tag are sorted, too: the heaviest of all come from merging
    these lists. Ties go to the smaller tag, then to the earlier parent.
    """
    w, tags = potentials.shape
    parent = np.empty((w, width), np.int32)
    choice = np.empty((w, width), np.int32)
    score, left = np.zeros(width), np.empty((width, tags), np.int16)
    next_score, next_left = np.empty(width), np.empty((width, tags), np.int16)
    head, place = np.empty(tags), np.empty(tags, np.uint64)
    b: Any
    for b in range(tags):
        left[0, b] = counts[b]
    size: Any = np.uint64(1)
    for j in range(w):
        for b in range(tags):
            place[b] = np.uint64(0)
            head[b] = _head(left, score, potentials[j, b], b, place, size)
        made: Any = np.uint64(0)
        while made < width:
            b, top = np.uint64(0), head[0]
            for other in range(np.uint64(1), np.uint64(tags)):
                if head[other] > top:
                    b, top = other, head[other]
            if top == -np.inf:
                break
            source = place[b]
            parent[j, made] = source
            choice[j, made] = b
            next_score[made] = top
            row, target = left[source], next_left[made]
            for other in range(np.uint64(tags)):
                target[other] = row[other]
            target[b] -= 1
            made += np.uint64(1)
            place[b] += np.uint64(1)
            head[b] = _head(left, score, potentials[j, b], b, place, size)
        size = made
        score, next_score = next_score, score
        left, next_left = next_left, left
    share = np.exp(score[:size] - score[0])
    total = share.sum()
    post[:w, :tags] = 0.0
    mass = share / total
    for j in range(w - 1, -1, -1):
        earlier = np.zeros(width)
        for i in range(len(mass)):
            if mass[i] > 0.0:
                post[j, choice[j, i]] += mass[i]
                earlier[parent[j, i]] += mass[i]
        mass = earlier
    return float(score[0] + np.log(total))


@njit(cache=True)
def _head(left: Array, score: Array, potential: float, tag: int, place: Array, size: int) -> float:
    """Move place[tag] to the next prefix that has `tag` left; what the two weigh, −∞ if there is none."""
    i = place[tag]
    while i < size and left[i, np.uint64(tag)] == 0:
        i += np.uint64(1)
    place[tag] = i
    return float(score[i] + potential) if i < size else -np.inf


@njit(cache=True)
def _spend(left: Array, row: int, tag: int, target: Array, place: int) -> None:
    """target[place] = left[row] less one `tag`."""
    for b in range(left.shape[1]):
        target[place, b] = left[row, b]
    target[place, tag] -= 1


@njit(cache=True)
def _cut(weight: Array, made: int, width: int) -> tuple[float, int]:
    """The smallest weight among the `width` largest, and how many of that very weight may stay."""
    if made <= width:
        return -np.inf, made
    key = np.empty(made, np.uint64)
    bits = weight[:made].view(np.uint64)
    sign = np.uint64(1) << np.uint64(63)
    for c in range(made):  # as whole numbers in the order of the floats
        key[c] = ~bits[c] if bits[c] & sign else bits[c] | sign
    ranked = np.array([_ranked(key, width)])
    ranked[0] = ranked[0] ^ sign if ranked[0] & sign else ~ranked[0]
    cut = ranked.view(np.float64)[0]
    ties = width
    for c in range(made):
        if weight[c] > cut:
            ties -= 1
    return cut, ties


@njit(cache=True)
def _ranked(values: Array, rank: int) -> Any:
    """The `rank`-th largest of `values` (overwritten): a histogram finds its bin, then bins of that bin.

    The smallest and the largest value never share a bin, so every round leaves fewer, until all are one.
    """
    seen = np.empty(512, np.int64)
    size = len(values)
    while True:
        low = high = values[0]
        for c in range(1, size):
            low = min(low, values[c])
            high = max(high, values[c])
        if low == high:
            return low
        shift = np.uint64(0)
        while (high - low) >> shift >= np.uint64(512):
            shift += np.uint64(1)
        seen[:] = 0
        for c in range(size):
            seen[(values[c] - low) >> shift] += 1
        chosen = (high - low) >> shift
        while seen[chosen] < rank:
            rank -= seen[chosen]
            chosen -= np.uint64(1)
        kept = 0
        for c in range(size):
            if (values[c] - low) >> shift == chosen:
                values[kept] = values[c]
                kept += 1
        size = kept


@njit(cache=True)
def merged_beam(potentials: Array, counts: Array, post: Array, width: int) -> float:
    """A beam over count vectors: prefixes that leave the same counts are one, their weights added.

    It is the dynamic program with only the `width` heaviest states of each level, ranked by their forward
    sums. Where those sums come near to underflow, one prefix outweighs all others and the plain beam
    serves.
    """
    w, tags = potentials.shape
    p = np.empty((w, tags))
    removed = balance(potentials, counts, p)
    p = np.maximum(p, SMALLEST**2)
    evidence = 0.0
    alpha = np.zeros((w + 1, width))
    alpha[0, 0] = 1.0
    # Steps of the program as rows (state, tag, state after), those of level j between ends[j] and ends[j + 1].
    steps, ends = np.empty((w * width * tags, 3), np.int32), np.zeros(w + 1, np.int64)
    left, kept_left = np.empty((width, tags), np.int16), np.empty((width, tags), np.int16)
    key, made_key = np.zeros(width, np.uint64), np.empty(width * tags, np.uint64)
    weight, place = np.empty(width * tags), np.empty(width * tags, np.int32)
    maker = np.empty(width * tags, np.int32)
    table = np.empty(_slots(width * tags), np.int32)
    digit, unique = _digits(counts)
    for b in range(tags):
        left[0, b] = counts[b]
    size = 1
    for j in range(w):
        level = steps[ends[j] :]
        made, taken = _merge(left[:size], key, alpha[j], p[j], digit, unique, table, weight, maker, made_key, level)
        cut, ties = _cut(weight, made, width)
        size = 0
        for c in range(made):
            place[c] = -1
            if weight[c] > cut or (weight[c] == cut and ties > 0):
                ties -= weight[c] == cut
                place[c] = size
                alpha[j + 1, size] = weight[c]
                _spend(left, level[maker[c], 0], level[maker[c], 1], kept_left, size)
                key[size] = made_key[c]
                size += 1
        ends[j + 1] = ends[j] + _keep(level[:taken], place)
        total = alpha[j + 1, :size].sum()
        for i in range(size):
            alpha[j + 1, i] /= total
        evidence += np.log(total)
        left, kept_left = kept_left, left
    if evidence < np.log(SMALLEST):
        return beam(potentials, counts, post, width)
    _merged_marginals(p, alpha, steps, ends, post)
    return evidence + removed


@njit(cache=True)
def _slots(entries: int) -> int:
    slots = 1
    while slots < 2 * entries:
        slots *= 2
    return slots


@njit(cache=True)
def _digits(counts: Array) -> tuple[Array, bool]:
    """What one of each tag adds to a state's key, in the mixed radix counts + 1; whether 64 bits hold all keys."""
    digit = np.empty(len(counts), np.uint64)
    states, key = 1.0, np.uint64(1)
    for b in range(len(counts)):
        digit[b] = key
        key *= np.uint64(counts[b] + 1)
        states *= counts[b] + 1.0
    return digit, states < 2.0**64


@njit(cache=True)
def _merge(
    left: Array,
    key: Array,
    alpha: Array,
    p: Array,
    digit: Array,
    unique: bool,
    table: Array,
    weight: Array,
    maker: Array,
    made_key: Array,
    steps: Array,
) -> tuple[int, int]:
    """Extend every state by every tag it has left, joining equal results by hashing: (states made, steps taken)."""
    mask = np.uint64(len(table) - 1)
    table[:] = -1
    made, taken = 0, 0
    for i in range(np.uint64(left.shape[0])):
        for b in range(np.uint64(left.shape[1])):
            if left[i, b] == 0:
                continue
            target = key[i] + digit[b]
            # Fibonacci hashing: the middle bits of the product depend on all bits of the key.
            slot = ((target * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask
            found = table[slot]
            while found >= 0 and not (
                made_key[found] == target and (unique or _equal(left, steps[maker[found]], i, b))
            ):
                slot = (slot + np.uint64(1)) & mask
                found = table[slot]
            if found < 0:
                found = made
                table[slot] = made
                made_key[made] = target
                weight[made] = 0.0
                maker[made] = taken
                made += 1
            weight[found] += alpha[i] * p[b]
            steps[taken, 0] = i
            steps[taken, 1] = b
            steps[taken, 2] = found
            taken += 1
    return made, taken


@njit(cache=True)
def _equal(left: Array, step: Array, state: int, tag: int) -> bool:
    """Whether `step` leads to the same counts as spending `tag` in `state`."""
    differences = 0
    for b in range(left.shape[1]):
        differences += left[step[0], b] - (b == step[1]) != left[state, b] - (b == tag)
    return differences == 0


@njit(cache=True)
def _keep(steps: Array, place: Array) -> int:
    """Move the steps to kept states to the front, their targets renamed to places; how many there are."""
    kept = 0
    for t in range(len(steps)):
        target = place[steps[t, 2]]
        if target >= 0:
            steps[kept, 0] = steps[t, 0]
            steps[kept, 1] = steps[t, 1]
            steps[kept, 2] = target
            kept += 1
    return kept


@njit(cache=True)
def _merged_marginals(p: Array, alpha: Array, steps: Array, ends: Array, post: Array) -> None:
    """The backward sums over the kept states, and the marginals; each level is normalised on its own."""
    w, tags = p.shape
    beta, earlier = np.ones(alpha.shape[1]), np.empty(alpha.shape[1])
    for j in range(w - 1, -1, -1):
        earlier[:] = 0.0
        post[j, :tags] = 0.0
        for t in range(ends[j], ends[j + 1]):
            state, tag = steps[t, 0], steps[t, 1]
            share = p[j, tag] * beta[steps[t, 2]]
            earlier[state] += share
            post[j, tag] += alpha[j, state] * share
        total = post[j, :tags].sum()
        for b in range(tags):
            post[j, b] /= total
        for i in range(len(earlier)):
            earlier[i] /= total
        beta, earlier = earlier, beta
