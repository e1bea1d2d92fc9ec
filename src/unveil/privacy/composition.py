"""What several releases about the same records give away together, exactly.

Of all mechanisms with levels (ε₁, δ₁), …, (εₖ, δₖ) that are fixed beforehand, the worst are known: each fails with
probability δᵢ, and else answers by randomised response of level εᵢ (Kairouz, Oh and Viswanath 2015, theorem 3.3; for
different levels Murtagh and Vadhan 2016, theorem 1.5). So what all of them together give away is the law of a sum of
independent losses ±εᵢ.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, inf, log1p

import numpy as np

from unveil.errors import is_real, require
from unveil.types import Floats

#: Steps of the grid on which losses are summed, in all and of the highest level at least; every level is rounded up to
#: it, so that nothing is understated.
STEPS, FINEST = 1 << 14, 64
#: By how much, as a share, sums of rounded terms may be wrong.
SLACK = 1e-11


def composed_delta(levels: Sequence[tuple[float, float]], epsilon: float) -> float:
    """The smallest δ with which releases of these levels are (ε, δ)-private together.

    It is exact up to the grid of the losses, and never too small. The `levels` are the (ε, δ) of each release; they
    must not have been chosen by what earlier releases showed. Ten releases of level 0.1 are 1-private by adding up, and
    nearly 0.5-private:

    >>> round(composed_delta([(0.1, 0.0)] * 10, 0.5), 4)
    0.0099
    >>> composed_delta([(0.1, 0.0)] * 10, 1.0)
    0.0
    """
    require(is_real(epsilon) and epsilon >= 0, f"epsilon must be a number, at least 0, not {epsilon!r}")
    for level in levels:
        fine = len(level) == 2 and all(map(is_real, level)) and 0 <= level[0] < inf and 0 <= level[1] <= 1
        require(fine, f"levels must hold pairs of a finite epsilon and a delta, not {level!r}")
    failing = 0.0 - np.expm1(sum(log1p(-delta) if delta < 1 else -inf for _, delta in levels))
    total = sum(level for level, _ in levels)
    if total <= epsilon:
        return float(failing)
    losses, law = _law([level for level, _ in levels if level > 0])
    over = losses - epsilon
    leaking = float(np.sum(law[over > 0] * -np.expm1(-over[over > 0]))) * (1 + SLACK)
    return float(min(failing + (1 - failing) * leaking, 1.0))


def composed_epsilon(levels: Sequence[tuple[float, float]], delta: float) -> float:
    """The smallest ε, up to a millionth, at which releases of these levels are (ε, δ)-private together.

    Never more than the sum of the levels, unless their δ alone exceed `delta`: then infinity.

    >>> round(composed_epsilon([(0.1, 0.0)] * 100, 0.0), 6)
    10.0
    >>> round(composed_epsilon([(0.1, 0.0)] * 100, 1e-6), 2)
    4.77
    """
    require(is_real(delta) and 0 <= delta <= 1, f"delta must lie in [0, 1], not {delta!r}")
    high = float(sum(level for level, _ in levels))
    if composed_delta(levels, high) > delta:
        return inf
    low = 0.0
    if composed_delta(levels, low) <= delta:
        return low
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if composed_delta(levels, middle) <= delta else (middle, high)
    return high


def _law(levels: Sequence[float]) -> tuple[Floats, Floats]:
    """Values of Σ ±εᵢ and their probabilities under the likelier input; levels are rounded up to the grid."""
    highest = max(levels)
    fine = max(ceil(STEPS / len(levels)), FINEST)
    steps = [ceil(level / highest * fine) for level in levels]
    law = np.ones(1)
    for count in steps:
        kept = 1 / (1 + exp(-count / fine * highest))
        law = kept * np.pad(law, (count, 0)) + (1 - kept) * np.pad(law, (0, count))
    values = 2.0 * np.arange(len(law)) - (len(law) - 1)
    return values * (highest / fine * (1 + SLACK)), law
