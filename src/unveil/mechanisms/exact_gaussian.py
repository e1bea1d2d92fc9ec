"""Exact samples of the discrete Gaussian law, P(z) ∝ exp(−z²/(2σ²)) on whole numbers, with whole numbers alone.

Canonne, Kamath and Steinke (2020), algorithms 1 to 3: a two-sided geometric proposal, accepted by an event of known
probability. Python's whole numbers have no largest one, so that nothing is ever rounded; class counts are few, and the
few microseconds that one takes do not matter.
"""

from __future__ import annotations

from math import isqrt

import numpy as np

from unveil.errors import require
from unveil.mechanisms.entropy import RandomBytes
from unveil.types import Array

#: Bytes asked for at a time.
_BLOCK = 4096


class _Source:
    """Uniform whole numbers and the events of algorithms 1 and 2 from random bytes."""

    def __init__(self, rng: RandomBytes) -> None:
        self.rng, self.bits, self.left = rng, 0, 0

    def below(self, n: int) -> int:
        """A uniform whole number from 0 to n − 1, by rejection."""
        size = (n - 1).bit_length()
        while True:
            if self.left < size:
                self.bits, self.left = int.from_bytes(self.rng.bytes(_BLOCK), "little"), 8 * _BLOCK
            drawn = self.bits & ((1 << size) - 1)
            self.bits >>= size
            self.left -= size
            if drawn < n:
                return drawn

    def exp_event(self, above: int, below: int) -> bool:
        """True with probability exp(−above/below), for any fraction of at least 0 (algorithm 1)."""
        while above > below:
            if not self._small_event(1, 1):
                return False
            above -= below
        return self._small_event(above, below)

    def _small_event(self, above: int, below: int) -> bool:
        """The same for a fraction of at most 1, by von Neumann's alternating series."""
        k = 1
        while self.below(below * k) < above:
            k += 1
        return k % 2 == 1

    def geometric(self, scale: int) -> int:
        """P(z) ∝ exp(−|z|/scale) (algorithm 2)."""
        while True:
            part = self.below(scale)
            if not self._small_event(part, scale):
                continue
            whole = 0
            while self._small_event(1, 1):
                whole += 1
            size, negative = part + scale * whole, self.below(2) == 1
            if not (negative and size == 0):  # zero would count twice
                return -size if negative else size

    def gaussian(self, variance: int) -> int:
        """P(z) ∝ exp(−z²/(2 variance)) (algorithm 3)."""
        scale = isqrt(variance) + 1
        while True:
            z = self.geometric(scale)
            if self.exp_event((abs(z) * scale - variance) ** 2, 2 * variance * scale**2):
                return z


def discrete_gaussian(shape: tuple[int, ...], variance: int, rng: RandomBytes) -> Array:
    """Independent draws with P(z) ∝ exp(−z²/(2 variance)), exactly; int64. The variance is a positive whole number."""
    require(1 <= variance <= 1 << 100, f"variance must be a whole number between 1 and 2^100, not {variance!r}")
    source = _Source(rng)
    draws = [source.gaussian(variance) for _ in range(int(np.prod(shape)))]
    return np.array(draws, dtype=np.int64).reshape(shape)
