"""Walker's alias tables: a draw from any finite distribution for one uniform and one look-up."""

from __future__ import annotations

import numpy as np
from numba import njit

from unveil.types import Array, Floats


@njit(cache=True)
def _pair_up(accept: Floats, alias: Array) -> None:
    """Fill every cell up to one: `accept` holds m times the probabilities, `alias` the cells' own numbers.

    Afterwards a cell drawn uniformly is kept with probability accept, else replaced by its alias.
    """
    m = len(accept)
    small, large = np.empty(m, np.int64), np.empty(m, np.int64)
    n_small, n_large = 0, 0
    for k in range(m):
        if accept[k] < 1:
            small[n_small] = k
            n_small += 1
        else:
            large[n_large] = k
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        poor, rich = small[n_small], large[n_large - 1]
        alias[poor] = rich
        accept[rich] -= 1 - accept[poor]
        if accept[rich] < 1:
            n_large -= 1
            small[n_small] = rich
            n_small += 1
    # What is left differs from one by rounding only.
    for i in range(n_small):
        accept[small[i]] = 1.0
    for i in range(n_large):
        accept[large[i]] = 1.0


@njit(cache=True)
def alias_table(weights: Floats) -> tuple[Floats, Array]:
    """(accept, alias) of m weights that need not sum to one."""
    m = len(weights)
    accept = weights * (m / weights.sum())
    alias = np.arange(m)
    _pair_up(accept, alias)
    return accept, alias


@njit(cache=True)
def packed_alias_tables(probabilities: Floats) -> Array:
    """One table of 256 words a row of `probabilities` (d, K ≤ 256): 24 bits accept, 8 bits alias."""
    d, states = probabilities.shape
    packed = np.empty((d, 256), np.uint32)
    for j in range(d):
        accept, alias = np.zeros(256), np.arange(256)
        for k in range(states):
            accept[k] = probabilities[j, k] * 256
        _pair_up(accept, alias)
        for k in range(256):
            # A cell that is its own alias keeps every draw; its 24 bits are never asked.
            kept = int(accept[k] * 2.0**24) if alias[k] != k else 0
            packed[j, k] = np.uint32(kept << 8 | alias[k])
    return packed
