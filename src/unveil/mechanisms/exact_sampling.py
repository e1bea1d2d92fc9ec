"""Exact samplers: whole numbers in, whole numbers out, and no rounding between.

Canonne, Kamath and Steinke (2020), section 5: a uniform whole number comes from random bits by rejection, an event of
probability exp(−u/t) from uniform whole numbers by von Neumann's alternating series, and the two-sided geometric law
(the discrete Laplace law) P(z) ∝ exp(−|z| s/t) from such events (algorithm 2). Every comparison is between 64-bit
integers. A record takes as many random words as it needs; where a block of words ends in the middle of a record, the
record is played again from its first word with the block continued, so that its law is not touched.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf, isfinite, log, nextafter, sinh
from typing import TypeAlias

import numpy as np
from numba import njit

from unveil.errors import is_real, require
from unveil.mechanisms.entropy import RandomBytes
from unveil.types import Array

#: A kernel that fills results from `done` on and says how many records are finished and how many words they took.
Kernel: TypeAlias = Callable[[Array, Array, int], tuple[int, int]]

#: Levels that whole numbers of 64 bits can stand for.
LOWEST_LEVEL, HIGHEST_LEVEL = 2.0**-20, 20.0
#: A level keeps so many binary digits; what lies beyond is rounded down, towards more noise.
DIGITS = 20
#: The largest t: noise of up to 8,191 scales then fits, and more of it has a probability below 10^−3500.
LARGEST_SCALE = 1 << 50
#: Words asked for at a time: half a megabyte.
BLOCK = 1 << 16
#: What a draw returns where the words are used up.
MORE = -1


def check_level(epsilon: float, name: str = "epsilon") -> None:
    """Raise unless the level is one that the samplers can keep."""
    require(
        is_real(epsilon) and isfinite(epsilon) and LOWEST_LEVEL <= epsilon <= HIGHEST_LEVEL,
        f"{name} must be a number from 2^-20 to {HIGHEST_LEVEL:g}, not {epsilon!r}",
    )


def level_below(epsilon: float) -> Fraction:
    """The level that is kept: `epsilon` rounded down to 20 binary digits, so it falls short by less than 2⁻¹⁹ of it."""
    exact = Fraction(float(epsilon))
    digits = exact.numerator.bit_length() - exact.denominator.bit_length()
    step = Fraction(2) ** (digits - DIGITS)
    return exact // step * step


def as_level(level: Fraction) -> float:
    """The level as a double that is not smaller."""
    near = float(level)
    return near if Fraction(near) >= level else nextafter(near, inf)


def odds_below(epsilon: float, unit: int) -> int:
    """The largest whole number that surely is at most e^ε · unit: 60 decimal digits, rounded down."""
    context = Context(prec=60, rounding=ROUND_FLOOR)
    # Decimal's exponential is rounded to nearest whatever the context says: one unit of its last digit lower is safe.
    lower = context.next_minus(context.exp(Decimal(float(epsilon))))
    return int(context.multiply(lower, Decimal(unit)))


def log_above(ratio: Fraction) -> float:
    """The logarithm of a ratio as a double that is not smaller: the library's error is below one unit, we add two."""
    if ratio == 1:
        return 0.0
    return log(ratio.numerator) - log(ratio.denominator) + 4e-16 * (1 + log(ratio.numerator))


def two_sided_geometric(shape: tuple[int, ...], level: Fraction, sensitivity: int, rng: RandomBytes) -> Array:
    """Noise with P(z) ∝ exp(−|z|·level/sensitivity), exactly; int64."""
    rate = level / sensitivity
    s, t = rate.numerator, rate.denominator
    require(
        t <= LARGEST_SCALE and s <= LARGEST_SCALE,
        "epsilon must be larger, or the sensitivity smaller: their ratio does not fit into 64-bit whole numbers",
    )
    noise = np.empty(int(np.prod(shape)), dtype=np.int64)
    _fill(noise, rng, lambda words, results, done: _laplace(words, results, done, s, t))
    return noise.reshape(shape)


def geometric_variance(level: Fraction, sensitivity: int) -> float:
    """The variance of that noise."""
    return 1 / (2 * sinh(float(level / sensitivity) / 2) ** 2)


def weighted_choice(states: Array, count: int, true_weight: int, unit: int, rng: RandomBytes) -> Array:
    """Each state with weight `true_weight`, each of the other `count` − 1 with weight `unit`, exactly; int64."""
    answers = np.array(states, dtype=np.int64).reshape(-1)
    _fill(answers, rng, lambda words, results, done: _respond(words, results, done, count, true_weight, unit))
    return answers.reshape(np.shape(states))


def uniform_below(n: int, size: int, rng: RandomBytes) -> Array:
    """So many independent uniform whole numbers below n ≤ 2³²: words are drawn anew where they would favour some."""
    require(1 <= n <= 1 << 32, "n must lie between 1 and 2^32")
    last = (1 << 32) // n * n
    found = np.empty(size, dtype=np.int64)
    wanted = np.arange(size)
    while len(wanted):
        words = np.frombuffer(rng.bytes(4 * len(wanted)), dtype="<u4").astype(np.int64, casting="same_kind")
        found[wanted] = words % n
        wanted = wanted[words >= last]
    return found


def _fill(results: Array, rng: RandomBytes, kernel: Kernel) -> None:
    """Run the kernel on block after block of words until every record has its result."""
    done, left = 0, np.empty(0, dtype=np.uint64)
    while done < len(results):
        size = min(BLOCK, 64 + 16 * (len(results) - done))
        fresh = np.frombuffer(rng.bytes(8 * size), dtype="<u8").astype(np.uint64, casting="same_kind")
        words = np.concatenate([left, fresh])
        done, used = kernel(words, results, done)
        left = words[used:]


@njit(cache=True)
def _below(words: Array, place: Array, n: int) -> int:
    """A uniform whole number below n from the leading bits of a word, or −1 where the words are used up."""
    if n == 1:
        return 0
    bits = 0
    while bits < 63 and (1 << bits) < n:
        bits += 1
    while True:
        if place[0] >= len(words):
            return MORE
        # Signed: numba compares an unsigned number with a signed one as doubles, which end at 2⁵³.
        drawn = np.int64(words[place[0]] >> np.uint64(64 - bits))
        place[0] += 1
        if drawn < n:
            return int(drawn)


@njit(cache=True)
def _exp_event(words: Array, place: Array, u: int, t: int) -> int:
    """One with probability exp(−u/t), 0 ≤ u ≤ t, else zero; −1 where the words are used up.

    The first k at which one of two events of probabilities u/t and 1/k fails is odd with that probability.
    """
    k = 1
    while True:
        share, turn = _below(words, place, t), _below(words, place, k)
        if share < 0 or turn < 0:
            return MORE
        if share >= u or turn > 0:
            return k & 1
        k += 1


@njit(cache=True)
def _one_laplace(words: Array, place: Array, s: int, t: int) -> tuple[bool, int]:
    """One draw with P(z) ∝ exp(−|z| s/t), and whether the words sufficed."""
    while True:
        u = _below(words, place, t)
        if u < 0:
            return False, 0
        accepted = _exp_event(words, place, u, t)
        if accepted < 0:
            return False, 0
        if accepted == 0:
            continue
        v = 0
        event = _exp_event(words, place, 1, 1)
        while event == 1:
            v += 1
            event = _exp_event(words, place, 1, 1)
        negative = _below(words, place, 2)
        if event < 0 or negative < 0:
            return False, 0
        size = (u + t * v) // s
        if negative == 1 and size == 0:  # zero would count twice
            continue
        return True, -size if negative == 1 else size


@njit(cache=True)
def _laplace(words: Array, results: Array, done: int, s: int, t: int) -> tuple[int, int]:
    place = np.zeros(1, np.int64)
    used = 0
    while done < len(results):
        whole, value = _one_laplace(words, place, s, t)
        if not whole:
            break
        results[done] = value
        done += 1
        used = int(place[0])
    return done, used


@njit(cache=True)
def _respond(words: Array, results: Array, done: int, count: int, true_weight: int, unit: int) -> tuple[int, int]:
    place = np.zeros(1, np.int64)
    used = 0
    while done < len(results):
        drawn = _below(words, place, true_weight + (count - 1) * unit)
        if drawn < 0:
            break
        if drawn >= true_weight:
            other = (drawn - true_weight) // unit
            results[done] = other + int(other >= results[done])
        done += 1
        used = int(place[0])
    return done, used
