"""Exact samplers: whole numbers in, whole numbers out, and no rounding between.

Canonne, Kamath and Steinke (2020), section 5: a uniform whole number comes from random bits by rejection, an event of
probability exp(−u/t) from uniform whole numbers by von Neumann's alternating series, and the two-sided geometric law
(the discrete Laplace law) P(z) ∝ exp(−|z| s/t) from such events (algorithm 2). Every comparison is between 64-bit
integers. Many draws go side by side; what is rejected is drawn anew, on its own, so that no law is touched.
"""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf, log, nextafter, sinh

import numpy as np

from unveil.errors import require
from unveil.mechanisms.entropy import RandomBytes
from unveil.types import Array

#: A level keeps so many binary digits; what lies beyond is rounded down, towards more noise.
DIGITS = 20
#: The largest t: noise of up to 8,191 scales then fits, and more of it has a probability below 10^−3500.
LARGEST_SCALE = 1 << 50
#: Draws that go side by side: their words take half a megabyte.
BLOCK = 1 << 16


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
    noise = np.empty(shape, dtype=np.int64)
    flat = noise.reshape(-1)
    for start in range(0, len(flat), BLOCK):
        wanted = np.arange(start, min(start + BLOCK, len(flat)))
        while len(wanted):
            drawn, accepted = _propose(len(wanted), s, t, rng)
            flat[wanted] = drawn
            wanted = wanted[~accepted]
    return noise


def geometric_variance(level: Fraction, sensitivity: int) -> float:
    """The variance of that noise."""
    return 1 / (2 * sinh(float(level / sensitivity) / 2) ** 2)


def weighted_choice(states: Array, count: int, true_weight: int, unit: int, rng: RandomBytes) -> Array:
    """Each state with weight `true_weight`, each of the other `count` − 1 with weight `unit`, exactly; int64."""
    # In C order whatever the states' is: else what is drawn would go to a copy, and the truth be returned.
    answers = np.array(states, dtype=np.int64, order="C")
    flat = answers.reshape(-1)
    for start in range(0, len(flat), BLOCK):
        part = flat[start : start + BLOCK]
        drawn = uniform_below(true_weight + (count - 1) * unit, len(part), rng)
        other = (drawn - true_weight) // unit
        part[:] = np.where(drawn < true_weight, part, other + (other >= part))
    return answers


def uniform_below(n: int, size: int, rng: RandomBytes) -> Array:
    """So many independent uniform whole numbers below n ≤ 2⁶³: the leading bits of a word each, or of another word."""
    require(1 <= n <= 1 << 63, "n must lie between 1 and 2^63")
    found = np.zeros(size, dtype=np.int64)
    wanted = np.arange(size if n > 1 else 0)
    while len(wanted):
        words = np.frombuffer(rng.bytes(8 * len(wanted)), dtype="<u8")
        # Below 2⁶³, so that the numbers are the same with a sign: numpy compares unsigned ones with others as doubles.
        drawn = (words >> np.uint64(64 - (n - 1).bit_length())).view(np.int64)
        found[wanted] = drawn
        wanted = wanted[drawn > n - 1]
    return found


def exp_events(u: Array, t: int, rng: RandomBytes) -> Array:
    """True with probability exp(−u/t), for each 0 ≤ u ≤ t.

    The first k at which one of two events of probabilities u/t and 1/k fails is odd with that probability.
    """
    odd, live, k = np.zeros(len(u), dtype=bool), np.arange(len(u)), 1
    while len(live):
        goes_on = (uniform_below(t, len(live), rng) < u[live]) & (uniform_below(k, len(live), rng) == 0)
        odd[live[~goes_on]] = k % 2 == 1
        live, k = live[goes_on], k + 1
    return odd


def _propose(size: int, s: int, t: int, rng: RandomBytes) -> tuple[Array, Array]:
    """Draws of P(z) ∝ exp(−|z| s/t), and which of them count."""
    u = uniform_below(t, size, rng)
    accepted = exp_events(u, t, rng)
    v, live = np.zeros(size, dtype=np.int64), np.flatnonzero(accepted)
    while len(live):
        live = live[exp_events(np.ones(len(live), dtype=np.int64), 1, rng)]
        v[live] += 1
    sizes, negative = (u + t * v) // s, uniform_below(2, size, rng) == 1
    # Zero would count twice.
    return np.where(negative, -sizes, sizes), accepted & ~(negative & (sizes == 0))
