"""Compiled loops over importance samples: what they weigh, how they pull on θ, and what that sums to over images."""

from __future__ import annotations

import numba
import numpy as np

from unveil.numerics.exponential import exponential, single_exponential
from unveil.types import Floats

#: Images handled at once: a block of their moments stays in the second-level cache between its two products.
_BLOCK = 64
#: Samples of a block of images at most.
_SAMPLES = 1 << 15
#: An image whose samples weigh less than this together is weighed with care: beyond are those cut off as zero.
_FAINT = 1e-9
#: So many samples are summed in single precision.
_FEW = 64
_ONE, _ZERO = np.float32(1), np.float32(0)


@numba.njit(inline="always")
def _weigh_one(x: float, one: float, zero: float) -> tuple[float, float]:
    """The weight one·φ(x) + zero·φ(−x), and the pull (one − zero)·φ(x)φ(−x), by one exponential."""
    small = exponential(-abs(x))
    share = 1.0 / (1.0 + small)
    phi = share if x >= 0 else small * share
    other = small * share if x >= 0 else share
    up, down = one * phi, zero * other
    return up + down, up * other - down * phi


@numba.njit(cache=True, error_model="numpy")
def weigh(z: Floats, one: Floats, zero: Floats, pulls: Floats, weights: Floats) -> None:
    """Weights one·φ(z) + zero·φ(−z), which sum to one over the samples of an image, and pulls (one − zero)·φ(z)φ(−z).

    `z`, `pulls` and `weights` are (S, n), `one` and `zero` that or (1, n) for all samples alike.
    """
    samples, images = z.shape
    total = np.zeros(images)
    for s in range(samples):
        a, b = one[min(s, len(one) - 1)], zero[min(s, len(zero) - 1)]
        for i in range(images):
            weight, pull = _weigh_one(np.float64(z[s, i]), a[i], b[i])
            total[i] += weight
            weights[s, i], pulls[s, i] = weight, pull
    for i in range(images):
        if total[i] < _FAINT:
            total[i] = _weigh_faint(z[:, i], one[:, i], zero[:, i], pulls[:, i], weights[:, i])
    for s in range(samples):
        for i in range(images):
            weights[s, i] /= total[i]
            pulls[s, i] /= total[i]


@numba.njit(cache=True, error_model="numpy")
def _weigh_faint(z: Floats, one: Floats, zero: Floats, pulls: Floats, weights: Floats) -> float:
    """The same for an image all of whose samples weigh next to nothing, and the weights' sum.

    Everything is shifted by the largest exponent of its samples, so that nothing can become 0/0.
    """
    shift, total = -np.inf, 0.0
    for s in range(len(z)):
        x = np.float64(z[s])
        upper = min(x, 0.0) if one[min(s, len(one) - 1)] > 0 else -np.inf
        lower = min(-x, 0.0) if zero[min(s, len(zero) - 1)] > 0 else -np.inf
        shift = max(shift, max(upper, lower))
    for s in range(len(z)):
        x = np.float64(z[s])
        small = exponential(-abs(x))
        share = 1.0 / (1.0 + small)
        # Above the shift is only what weighs nothing.
        up = one[min(s, len(one) - 1)] * exponential(min(min(x, 0.0) - shift, 0.0)) * share
        down = zero[min(s, len(zero) - 1)] * exponential(min(min(-x, 0.0) - shift, 0.0)) * share
        phi = share if x >= 0 else small * share
        other = small * share if x >= 0 else share
        total += up + down
        weights[s] = up + down
        pulls[s] = up * other - down * phi
    return total


@numba.njit(cache=True, error_model="numpy")
def pull_samples(
    middle: Floats, tau: Floats, noise: Floats, one: Floats, zero: Floats, start: int
) -> tuple[Floats, Floats, float, float]:
    """Of z = middle + τ·noise of the images from `start` on: each one's Σ pull and Σ pull·noise/τ, Σ pull, and Σ 1/Σw².

    Samples are weighed in single precision, and summed so by the few: beside their own noise its errors are nothing.
    """
    samples, images = len(noise), len(middle)
    sums, few = np.zeros((4, images)), np.zeros((4, images), np.float32)
    total, direct, along, squared = few[0], few[1], few[2], few[3]
    for s in range(samples):
        # Rows of arrays that lie densely: loops over them vectorise.
        n = noise[s][start : start + images]
        a = one[min(s, len(one) - 1)][start : start + images]
        b = zero[min(s, len(zero) - 1)][start : start + images]
        for i in range(images):
            x, here = np.float32(middle[i] + tau[i] * n[i]), np.float32(n[i])
            small = single_exponential(np.float32(-abs(x)))
            share = _ONE / (_ONE + small)
            phi = share if x >= _ZERO else small * share
            other = small * share if x >= _ZERO else share
            up, down = np.float32(a[i]) * phi, np.float32(b[i]) * other
            weight, pull = up + down, up * other - down * phi
            total[i] += weight
            direct[i] += pull
            along[i] += pull * here
            squared[i] += weight * weight
        if s % _FEW == _FEW - 1 or s == samples - 1:
            sums += few
            few[:] = 0
    return _shares(sums, middle, tau, noise, one, zero, start)


@numba.njit(cache=True, error_model="numpy")
def _shares(
    sums: Floats, middle: Floats, tau: Floats, noise: Floats, one: Floats, zero: Floats, start: int
) -> tuple[Floats, Floats, float, float]:
    """What `pull_samples` finds, from the sums of weights, pulls, pulls·noise and squared weights."""
    total, direct, along, squared = sums[0], sums[1], sums[2], sums[3]
    pulls, effective = 0.0, 0.0
    for i in range(len(middle)):
        if total[i] < _FAINT:
            drawn = noise[:, start + i]
            found = _pull_faint(middle[i] + tau[i] * drawn, drawn, one[:, start + i], zero[:, start + i])
            direct[i], along[i], squared[i] = found
            total[i] = 1.0
        direct[i] /= total[i]
        # E[x | z] − E[x] is Vθ (z − E z)/τ²; where τ = 0 there is nothing left to learn from z.
        along[i] = along[i] / (total[i] * tau[i]) if tau[i] > 0 else 0.0
        pulls += direct[i]
        effective += total[i] * total[i] / squared[i]
    return direct.astype(middle.dtype), along.astype(middle.dtype), pulls, effective


@numba.njit(cache=True, error_model="numpy")
def _pull_faint(z: Floats, noise: Floats, one: Floats, zero: Floats) -> tuple[float, float, float]:
    """Σ pull, Σ pull·noise and Σw² of an image whose samples `z` weigh next to nothing."""
    pulls, weights = np.empty(len(z)), np.empty(len(z))
    total = _weigh_faint(z, one, zero, pulls, weights)
    return pulls.sum() / total, (pulls * noise).sum() / total, (weights * weights).sum() / total**2


@numba.njit(cache=True, error_model="numpy")
def sum_projected(
    mean: Floats, variance: Floats, theta: Floats, intercept: float, noise: Floats, one: Floats, zero: Floats
) -> tuple[Floats, float, float]:
    """The sums over images of pull·E[x | z], of pulls, and of 1/Σw²; z = θᵀ·mean + intercept + τ·noise.

    `variance` is (n, d), or (1, d) for all images alike. Block by block, so that the moments are read once.
    """
    (samples, images), d, shared = noise.shape, len(theta), len(variance) == 1
    gradient, pull, effective = np.zeros(d), 0.0, 0.0
    squares, shift = theta * theta, theta.dtype.type(intercept)
    size = max(1, min(_BLOCK, _SAMPLES // samples))
    for start in range(0, images, size):
        stop = min(start + size, images)
        part, spread = mean[start:stop], variance if shared else variance[start:stop]
        middle, tau = np.dot(part, theta) + shift, np.empty(stop - start, theta.dtype)
        tau[:] = np.sqrt(np.dot(spread, squares))
        direct, along, pulls, effects = pull_samples(middle, tau, noise, one, zero, start)
        pull, effective = pull + pulls, effective + effects
        gradient += np.dot(direct, part)
        bent = np.full(1, along.sum()) if shared else along
        gradient += np.dot(bent, spread) * theta
    return gradient, pull, effective


@numba.njit(cache=True, error_model="numpy", forceinline=True, fastmath={"reassoc", "contract", "nsz"})
def _spans(states: Floats, theta: Floats) -> tuple[Floats, Floats]:
    """Σ vθ and Σ (vθ)² of each image of states v."""
    first, second = np.empty(len(states), np.float32), np.empty(len(states), np.float32)
    for i in range(len(states)):
        row, along, squared = states[i], np.float32(0), np.float32(0)
        for j in range(len(theta)):
            step = row[j] * theta[j]
            along += step
            squared += step * step
        first[i], second[i] = along, squared
    return first, second


@numba.njit(cache=True, error_model="numpy", forceinline=True, fastmath={"contract"})
def _gather(states: Floats, direct: Floats, along: Floats, first: Floats, second: Floats) -> None:
    """Add Σ direct·v and Σ along·v² over images of states v to `first` and `second` (d,)."""
    last = len(states) - 1
    for i in range(0, len(states), 4):
        # Four images at a time: a quarter of the sums to load and store. Beyond the last there is nothing to add.
        r0, r1, r2, r3 = states[i], states[min(i + 1, last)], states[min(i + 2, last)], states[min(i + 3, last)]
        a0, a1, a2, a3 = direct[i], direct[i + 1], direct[i + 2], direct[i + 3]
        b0, b1, b2, b3 = along[i], along[i + 1], along[i + 2], along[i + 3]
        for j in range(states.shape[1]):
            v0, v1, v2, v3 = r0[j], r1[j], r2[j], r3[j]
            first[j] += (a0 * v0 + a1 * v1) + (a2 * v2 + a3 * v3)
            second[j] += (b0 * v0 * v0 + b1 * v1 * v1) + (b2 * v2 * v2 + b3 * v3 * v3)


@numba.njit(cache=True, error_model="numpy")
def sum_alike(
    states: Floats,
    law: tuple[float, float, float, float],
    theta: Floats,
    intercept: float,
    noise: Floats,
    one: Floats,
    zero: Floats,
) -> tuple[Floats, float, float]:
    """`sum_projected` in single precision where moments follow one law in all pixels: half as much is to be read.

    With the law (m, k, a, b) a state v means m + k·v, and leaves the variance a + b·v².
    """
    (samples, images), d = noise.shape, len(theta)
    level, slope, least, bend = law
    shift, base = level * np.float64(theta.sum()) + intercept, least * np.float64((theta * theta).sum())
    gradient, curves, pull, effective, bent = np.zeros(d), np.zeros(d), 0.0, 0.0, 0.0
    size = max(1, min(_BLOCK, _SAMPLES // samples))
    for start in range(0, images, size):
        stop = min(start + size, images)
        first, second = _spans(states[start:stop], theta)
        middle = (slope * first + shift).astype(np.float32)
        tau = np.sqrt(bend * second + base).astype(np.float32)
        direct, along, pulls, effects = pull_samples(middle, tau, noise, one, zero, start)
        pull, effective, bent = pull + pulls, effective + effects, bent + np.float64(along.sum())
        # Room for four images beyond the last.
        shares = np.zeros((2, stop - start + 4), np.float32)
        shares[0, : stop - start], shares[1, : stop - start] = direct, along
        rises, curvatures = np.zeros(d, np.float32), np.zeros(d, np.float32)
        _gather(states[start:stop], shares[0], shares[1], rises, curvatures)
        gradient += rises
        curves += curvatures
    return level * pull + slope * gradient + (least * bent + bend * curves) * theta, pull, effective
