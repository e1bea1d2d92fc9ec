"""Compiled loops over importance samples: what they weigh, how they pull on θ, and what that sums to over images."""

from __future__ import annotations

import numba
import numpy as np

from unveil.numerics.exponential import exponential
from unveil.types import Floats

#: Images handled at once: a block of their moments stays in the second-level cache between its two products.
_BLOCK = 64
#: Samples of a block of images at most.
_SAMPLES = 1 << 15


@numba.njit(cache=True, error_model="numpy")
def weigh(z: Floats, one: Floats, zero: Floats, pulls: Floats, weights: Floats) -> None:
    """Weights one·φ(z) + zero·φ(−z), which sum to one over the samples of an image, and pulls (one − zero)·φ(z)φ(−z).

    `z`, `pulls` and `weights` are (S, n), `one` and `zero` that or (1, n) for all samples alike. Everything is shifted
    by the largest exponent of an image's samples, so that nothing can become 0/0.
    """
    samples, images = z.shape
    shift, total = np.full(images, -np.inf), np.zeros(images)
    for s in range(samples):
        a, b = one[min(s, len(one) - 1)], zero[min(s, len(zero) - 1)]
        for i in range(images):
            x = np.float64(z[s, i])
            upper = min(x, 0.0) if a[i] > 0 else -np.inf
            lower = min(-x, 0.0) if b[i] > 0 else -np.inf
            shift[i] = max(shift[i], max(upper, lower))
    for s in range(samples):
        a, b = one[min(s, len(one) - 1)], zero[min(s, len(zero) - 1)]
        for i in range(images):
            x = np.float64(z[s, i])
            small = exponential(-abs(x))
            share = 1.0 / (1.0 + small)
            # Above the shift is only what weighs nothing.
            up = a[i] * exponential(min(min(x, 0.0) - shift[i], 0.0)) * share
            down = b[i] * exponential(min(min(-x, 0.0) - shift[i], 0.0)) * share
            phi = share if x >= 0 else small * share
            other = small * share if x >= 0 else share
            total[i] += up + down
            weights[s, i] = up + down
            pulls[s, i] = up * other - down * phi
    for s in range(samples):
        for i in range(images):
            weights[s, i] /= total[i]
            pulls[s, i] /= total[i]


@numba.njit(cache=True, error_model="numpy")
def projected(
    mean: Floats, variance: Floats, theta: Floats, intercept: float, noise: Floats, one: Floats, zero: Floats
) -> tuple[Floats, float, float]:
    """The sums over images of pull·E[x | z], of pulls, and of 1/Σw²; z = θᵀ·mean + intercept + τ·noise.

    `variance` is (n, d), or (1, d) for all images alike. Block by block, so that the moments are read once.
    """
    (samples, images), d, shared = noise.shape, len(theta), len(variance) == 1
    gradient, pull, effective = np.zeros(d), 0.0, 0.0
    squares = theta * theta
    size = max(1, min(_BLOCK, _SAMPLES // samples))
    for start in range(0, images, size):
        stop = min(start + size, images)
        part, spread = mean[start:stop], variance if shared else variance[start:stop]
        middle, tau = np.dot(part, theta), np.sqrt(np.dot(spread, squares))
        z = np.empty((samples, stop - start), mean.dtype)
        for s in range(samples):
            for i in range(stop - start):
                z[s, i] = middle[i] + intercept + tau[0 if shared else i] * noise[s, start + i]
        pulls, weights = np.empty_like(z), np.empty_like(z)
        # Copies lie close together, so that loops over them vectorise.
        weigh(z, one[:, start:stop].copy(), zero[:, start:stop].copy(), pulls, weights)
        direct, along, squared = np.zeros(len(middle)), np.zeros(len(middle)), np.zeros(len(middle))
        for s in range(samples):
            for i in range(stop - start):
                direct[i] += pulls[s, i]
                along[i] += pulls[s, i] * noise[s, start + i]
                squared[i] += weights[s, i] * weights[s, i]
        for i in range(stop - start):
            # E[x | z] − E[x] is Vθ (z − E z)/τ²; where τ = 0 there is nothing left to learn from z.
            deviation = tau[0 if shared else i]
            along[i] = along[i] / deviation if deviation > 0 else 0.0
            pull += direct[i]
            effective += 1.0 / squared[i]
        gradient += np.dot(direct.astype(mean.dtype), part)
        bent = np.full(1, along.sum()) if shared else along
        gradient += np.dot(bent.astype(mean.dtype), spread) * theta
    return gradient, pull, effective
