"""Compiled beam search for tag counts: the plain beam, and one that merges prefixes with equal counts.

The same arguments and results as the exact kernel in `dynamic_program`, and a width: how many prefixes or
states survive.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from unveil.estimators.counts.dynamic_program import SMALLEST, balance
from unveil.estimators.counts.window_steps import lane_sum
from unveil.numerics.draws import STEP, scramble
from unveil.types import Array


@njit(cache=True)
def beam(potentials: Array, counts: Array, post: Array, width: int) -> float:
    """The plain beam: left to right, keep the `width` heaviest prefixes; average over the complete ones.

    The beam is kept sorted, so that the extensions by one tag are sorted, too: the heaviest of all come from merging
    these lists, whose heads are kept sorted in turn. Ties go to the smaller tag, then to the earlier parent.
    """
    w, tags = potentials.shape
    parent = np.empty((w, width), np.int32)
    choice = np.empty((w, width), np.int32)
    score, left = np.zeros(width), np.empty((width, tags), np.int16)
    next_score, next_left = np.empty(width), np.empty((width, tags), np.int16)
    # The heads and whose they are; the last one stands for none. Where each tag's next parent is.
    head, queue, place = np.full(tags + 1, -np.inf), np.full(tags + 1, np.uint64(tags)), np.empty(tags, np.uint64)
    b: Any
    k: Any
    one = np.uint64(1)
    for b in range(tags):
        left[0, b] = counts[b]
    size: Any = np.uint64(1)
    for j in range(w):
        for b in range(np.uint64(tags)):
            place[b] = np.uint64(0)
            top = _head(left, score, potentials[j, b], b, place, size)
            k = b
            while k > 0 and head[k - one] < top:
                head[k], queue[k] = head[k - one], queue[k - one]
                k -= one
            head[k], queue[k] = top, b
        made: Any = np.uint64(0)
        while made < width and head[0] > -np.inf:
            b = queue[0]
            source = place[b]
            parent[j, made] = source
            choice[j, made] = b
            next_score[made] = head[0]
            for other in range(np.uint64(tags)):
                next_left[made, other] = left[source, other]
            next_left[made, b] -= 1
            made += one
            place[b] += one
            top = _head(left, score, potentials[j, b], b, place, size)
            k = np.uint64(0)
            while head[k + one] > top or (head[k + one] == top and queue[k + one] < b):
                head[k], queue[k] = head[k + one], queue[k + one]
                k += one
            head[k], queue[k] = top, b
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
    alpha, sizes = np.zeros((w + 1, width)), np.ones(w + 1, np.int64)
    alpha[0, 0] = 1.0
    # Where a step by tag b from state i leads is after[j, i · tags + b]: a place among the states of the next level.
    after = np.empty((w, width * tags), np.uint32)
    left, kept_left = np.empty((width, tags), np.int16), np.empty((width, tags), np.int16)
    key, kept = np.zeros(width, np.uint64), np.empty(width + 1, np.uint32)
    made = _room(width * tags)
    digit = np.empty(tags, np.uint64)
    for b in range(tags):
        left[0, b] = counts[b]
        digit[b] = scramble(STEP * np.uint64(b + 1))
    for j in range(w):
        size = sizes[j]
        n = _merge(left[:size], key, alpha[j], p[j], digit, made, after[j])
        sizes[j + 1] = _keep(made, n, width, after[j, : size * tags], kept)
        for i in range(sizes[j + 1]):
            c = kept[i]
            alpha[j + 1, i], key[i] = made.weight[c], made.key[c]
            state, tag = divmod(made.maker[c], tags)
            for b in range(tags):
                kept_left[i, b] = left[state, b]
            kept_left[i, tag] -= 1
        total = lane_sum(alpha[j + 1, : sizes[j + 1]])
        share = 1.0 / total
        for i in range(sizes[j + 1]):
            alpha[j + 1, i] *= share
        evidence += np.log(total)
        left, kept_left = kept_left, left
    if evidence < np.log(SMALLEST):
        return beam(potentials, counts, post, width)
    _merged_marginals(p, alpha, after, sizes, post)
    return evidence + removed


class _Made(NamedTuple):
    """The states that a level's steps lead to, by number; the last number stands for none, and weighs nothing.

    `table` finds their numbers by their keys; `maker` is a step that leads there, `place` where it is kept.
    Steps are listed in `step`, with the keys that they lead to and what they add.
    """

    key: Array
    weight: Array
    maker: Array
    place: Array
    table: Array
    step: Array
    target: Array
    gain: Array


@njit(cache=True)
def _room(most: int) -> _Made:
    """Room for the states of a level, and for the steps to them: for one more than there are."""
    slots = 1
    while slots < 2 * most:
        slots *= 2
    return _Made(
        np.empty(most + 1, np.uint64),
        np.zeros(most + 1),
        np.empty(most + 1, np.int64),
        np.empty(most + 1, np.uint32),
        np.empty(slots, np.uint32),
        np.empty(most + 1, np.uint32),
        np.empty(most + 1, np.uint64),
        np.empty(most + 1),
    )


# What no processor foresees is no branch below: an entry is always written, and counted where it is wanted.
@njit(cache=True)
def _merge(left: Array, key: Array, alpha: Array, p: Array, digit: Array, made: _Made, after: Array) -> int:
    """Extend every state by every tag it has left, joining equal results; the number of states made.

    A state's key is the sum of its tags' `digit`s, 64 random bits each: that two of the few thousand states of a level
    share one has a chance of 10⁻¹².
    """
    size, tags = left.shape
    taken: Any = np.uint64(0)
    for i in range(np.uint64(size)):
        for b in range(np.uint64(tags)):
            made.step[taken] = i * np.uint64(tags) + b
            made.target[taken] = key[i] + digit[b]
            made.gain[taken] = alpha[i] * p[b]
            taken += np.uint64(left[i, b] > 0)
    none, mask = np.uint32(len(made.key) - 1), np.uint64(len(made.table) - 1)
    after[: size * tags] = none
    made.table[:] = none
    n = np.uint32(0)
    for t in range(taken):
        step, target = made.step[t], made.target[t]
        slot = target & mask
        made.key[none] = target  # so that the search ends at what is equal or at none
        found = made.table[slot]
        while made.key[found] != target:
            slot = (slot + np.uint64(1)) & mask
            found = made.table[slot]
        state = n if found == none else found
        made.table[slot] = state
        made.key[state] = target
        made.weight[state] = made.weight[found] + made.gain[t]
        made.maker[state] = step
        after[step] = state
        n += np.uint32(found == none)
    return int(n)


@njit(cache=True)
def _keep(made: _Made, n: int, width: int, after: Array, kept: Array) -> int:
    """List the `width` heaviest of n states, of equals the first; steps lead to places in this list, or to `width`."""
    cut, ties = _cut(made.weight[:n], width)
    size: Any = np.uint64(0)
    for c in range(np.uint64(n)):
        tie = made.weight[c] == cut
        stays = (made.weight[c] > cut) | (tie & (ties > 0))
        kept[size] = c
        made.place[c] = size if stays else np.uint64(width)
        ties -= tie
        size += np.uint64(stays)
    made.place[len(made.place) - 1] = width
    for t in range(len(after)):
        after[t] = made.place[after[t]]
    return int(size)


@njit(cache=True)
def _cut(weight: Array, width: int) -> tuple[float, int]:
    """The smallest weight among the `width` largest, and how many of that very weight may stay.

    None is negative: first the exponents are counted, and only weights that share the wanted one's are sorted out.
    """
    if len(weight) <= width:
        return -np.inf, len(weight)
    exponent = weight.view(np.uint64) >> np.uint64(52)
    counts = np.zeros(1 << 11, np.int64)
    for c in range(len(weight)):
        counts[exponent[c]] += 1
    wanted, last = width, len(counts) - 1
    while counts[last] < wanted:
        wanted -= counts[last]
        last -= 1
    near = weight[exponent == last]
    cut = np.partition(near, len(near) - wanted)[len(near) - wanted]
    return cut, wanted - np.sum(near > cut)


@njit(cache=True)
def _merged_marginals(p: Array, alpha: Array, after: Array, sizes: Array, post: Array) -> None:
    """The backward sums over the kept states, and the marginals; each level is normalised on its own."""
    w, tags = p.shape
    width = alpha.shape[1]
    beta, earlier = np.ones(width + 1), np.empty(width + 1)
    beta[width] = earlier[width] = 0.0  # where no step leads
    for j in range(w - 1, -1, -1):
        gained, weights = post[j, :tags], p[j]
        gained[:] = 0.0
        step: Any = np.uint64(0)
        for i in range(sizes[j]):
            total = 0.0
            for b in range(np.uint64(tags)):
                share = weights[b] * beta[after[j, step + b]]
                total += share
                gained[b] += alpha[j, i] * share
            earlier[i] = total
            step += np.uint64(tags)
        whole = 1.0 / lane_sum(gained)
        for b in range(tags):
            gained[b] *= whole
        for i in range(sizes[j]):
            earlier[i] *= whole
        beta, earlier = earlier, beta
