"""Mironov's (2012) attack on floating-point noise: which doubles can `value + noise` be at all?

numpy turns one of 2⁵³ uniforms U into scale·log(2U), or −scale·log(2 − 2U), and adds it to the value. Far from all
doubles are hit, and which ones depends on the value. The attack takes an output, solves for U under either value and
looks whether any uniform nearby gives exactly this output.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from unveil.privacy.audit import LogRatio
from unveil.types import Array, Floats

#: Uniforms that are tried on each side of the solution.
REACH = 8
GRAIN = 2.0**-53


@njit(cache=True)
def reachable(outputs: Floats, value: float, scale: float) -> Array:
    """Whether numpy's Laplace noise of this scale, added to `value`, can give each of the outputs."""
    found = np.zeros(len(outputs), np.bool_)
    for i in range(len(outputs)):
        noise = outputs[i] - value
        middle = 0.5 * math.exp(-abs(noise) / scale)
        share = middle if noise < 0 else 1.0 - middle
        start = math.floor(share / GRAIN)
        for step in range(-REACH, REACH + 1):
            uniform = (start + step) * GRAIN
            if uniform <= 0.0 or uniform >= 1.0:
                continue
            if uniform >= 0.5:
                drawn = 0.0 - scale * math.log(2.0 - uniform - uniform)
            else:
                drawn = 0.0 + scale * math.log(uniform + uniform)
            if value + drawn == outputs[i]:
                found[i] = True
    return found


def porous_ratio(here: float, there: float, scale: float) -> LogRatio:
    """A log-ratio for the audit: +1 where only the first value can have led to an output, −1 where only the other."""

    def score(outputs: Array) -> Floats:
        flat = np.ascontiguousarray(outputs, dtype=np.float64).reshape(-1)
        return reachable(flat, here, scale) * 1.0 - reachable(flat, there, scale) * 1.0

    return score
