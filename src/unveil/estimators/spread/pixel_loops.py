"""Compiled loops of the pixel-level E-step.

Everything is laid out pixel by pixel (`[d, s, n]`), so that one pixel's tables stay in the nearest cache
while all images and samples pass, and every inner loop runs over contiguous images without a branch.
"""

from __future__ import annotations

import numba
import numpy as np

from unveil.numerics.draws import STEP, scramble
from unveil.types import Array, Floats


@numba.njit(cache=True)
def sample_pixels(
    noisy: Array, keep: Array, alias: Array, theta: Floats, seeds: Array, samples: Array, z: Floats
) -> None:
    """Draw from ρ(x | x̃) of (58) into `samples` (d, S, n) and add Σ_d θ_d x_d to `z` (S, n).

    One 64-bit word a draw: its upper half decides against `keep` (d, 256) whether the noisy state stays;
    otherwise the lowest byte chooses a column of the prior's alias table (d, 256) and the other 24 bits
    decide there. Probabilities are exact to 2⁻³². `noisy` is (d, n); `seeds` holds one random word a pixel.
    """
    d, n = noisy.shape
    byte = np.uint32(255)
    limit = np.empty(n, np.uint32)
    upper, lower, entry = np.empty(n, np.uint32), np.empty(n, np.uint32), np.empty(n, np.uint32)
    for j in range(d):
        for i in range(n):
            limit[i] = keep[j, noisy[j, i]]
        for s in range(samples.shape[1]):
            first = seeds[j] + STEP * np.uint64(s * n)
            # Short loops of one kind each: the compiler turns every one of them into vector instructions.
            for i in range(n):
                word = scramble(first + STEP * np.uint64(i))
                upper[i] = np.uint32(word >> np.uint64(32))
                lower[i] = np.uint32(word & np.uint64(0xFFFFFFFF))
            for i in range(n):
                entry[i] = alias[j, lower[i] & byte]
            for i in range(n):
                stay = (lower[i] >> np.uint32(8)) < (entry[i] >> np.uint32(8))
                drawn = (lower[i] if stay else entry[i]) & byte
                samples[j, s, i] = np.uint8(noisy[j, i] if upper[i] < limit[i] else drawn)
            for i in range(n):
                z[s, i] += theta[j] * np.float32(samples[j, s, i])


@numba.njit(cache=True)
def sample_bytes(noisy: Array, limit: np.uint32, theta: Floats, seeds: Array, samples: Array, z: Floats) -> None:
    """`sample_pixels` under a flat prior over 256 states, two draws a 64-bit word.

    Of a draw's 32 bits, 24 decide against `limit` whether the noisy state stays, to 2⁻²⁴; the others are a state.
    """
    d, n = noisy.shape
    half, word32 = (n + 1) // 2, np.uint64(0xFFFFFFFF)
    lower, upper = np.empty(half, np.uint32), np.empty(half, np.uint32)
    for j in range(d):
        for s in range(samples.shape[1]):
            first = seeds[j] + STEP * np.uint64(s * half)
            for i in range(half):
                word = scramble(first + STEP * np.uint64(i))
                lower[i] = np.uint32(word & word32)
                upper[i] = np.uint32(word >> np.uint64(32))
            row, before = samples[j, s], noisy[j]
            for i in range(half):
                row[i] = before[i] if (lower[i] >> np.uint32(8)) < limit else np.uint8(lower[i])
            for i in range(n - half):
                row[half + i] = before[half + i] if (upper[i] >> np.uint32(8)) < limit else np.uint8(upper[i])
            for i in range(n):
                z[s, i] += theta[j] * np.float32(row[i])


@numba.njit(cache=True)
def weighted_sums(samples: Array, weights: Floats, sums: Floats) -> None:
    """Add Σ_i w_i x_i[d] of every pixel to `sums` (d,); `samples` is (d, S·n)."""
    row = np.empty(samples.shape[1], np.float32)
    for j in range(samples.shape[0]):
        for i in range(row.size):
            row[i] = samples[j, i]
        sums[j] += np.dot(row, weights)


@numba.njit(cache=True)
def weighted_counts(samples: Array, weights: Floats, counts: Floats) -> None:
    """Add Σ_i w_i I(x_i[d] = k), the numerator of (65), to `counts` (d, 256)."""
    # Four tables in turn: neighbouring samples often share a state, and no addition must wait for the last.
    tables = np.empty((4, 256), np.float32)
    size = samples.shape[1]
    for j in range(samples.shape[0]):
        tables[:] = 0
        for i in range(0, size - 3, 4):
            tables[0, samples[j, i]] += weights[i]
            tables[1, samples[j, i + 1]] += weights[i + 1]
            tables[2, samples[j, i + 2]] += weights[i + 2]
            tables[3, samples[j, i + 3]] += weights[i + 3]
        for i in range(size - size % 4, size):
            tables[0, samples[j, i]] += weights[i]
        for k in range(256):
            counts[j, k] += tables[0, k] + tables[1, k] + tables[2, k] + tables[3, k]
