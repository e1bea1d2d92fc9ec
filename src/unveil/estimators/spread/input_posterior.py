"""The posterior ρ(x | x̃) of a clean input given a noisy one and a factorised prior, (58) and (68).

For flips the likelihood of the true state k, seen as x̃, is `other` plus `extra` where k = x̃, so the posterior
is a mixture: keep x̃ with probability extra·π(x̃)/(extra·π(x̃) + other), else draw from the prior π itself. One
table for each pixel is enough, instead of one for each pixel and noisy state.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.numerics.alias import packed_alias_tables
from unveil.types import Array, Floats


@dataclass(frozen=True)
class FlipRates:
    """Pixel flips as a mixture: with probability `extra` the true state, else a uniformly random one."""

    flip: float
    states: int

    @property
    def other(self) -> float:
        """The probability of one particular false state."""
        return self.flip / (self.states - 1)

    @property
    def extra(self) -> float:
        """What the true state's probability exceeds a false one's by."""
        return 1 - self.flip - self.other

    @property
    def flat_keep(self) -> float:
        """How often the noisy state is kept under a flat prior, whatever it is."""
        return self.extra / (self.extra + self.other * self.states)

    def keep(self, prior: Floats) -> Floats:
        """How often the noisy state is kept, (d, K) by pixel and noisy state."""
        weight = self.extra * np.asarray(prior, dtype=float)
        # Without flips what is seen is true, whatever the prior says.
        return np.ones_like(weight) if self.other == 0 else weight / (weight + self.other)


def pixel_tables(prior: Floats, rates: FlipRates) -> tuple[Array, Array]:
    """What the sampling kernel needs to know of the prior: how often each state is kept, and alias tables.

    Of 256 columns, whatever the number of states.
    """
    keep = np.zeros((len(prior), 256), dtype=np.uint32)
    keep[:, : rates.states] = np.minimum(rates.keep(prior) * 2.0**32, 2.0**32 - 1).astype(np.uint32)
    return keep, packed_alias_tables(np.ascontiguousarray(prior, dtype=float))


def flip_moments(prior: Floats, rates: FlipRates, values: Floats) -> tuple[Floats, Floats]:
    """Posterior mean and variance, (d, K) by pixel and noisy state, where state k is worth `values[k]`."""
    prior, values, keep = np.ascontiguousarray(prior, dtype=float), np.asarray(values, dtype=float), rates.keep(prior)
    middle = (prior @ values)[:, None]
    # The variance of a mixture of a point and the prior, without subtracting squares of large numbers.
    spread = np.maximum((prior @ values**2)[:, None] - middle**2, 0)
    variance = (1 - keep) * spread + keep * (1 - keep) * (values - middle) ** 2
    return keep * values + (1 - keep) * middle, variance


def look_up(table: Floats, noisy: Array) -> Floats:
    """`table[d, noisy[d, n]]`, as (n, d)."""
    places = np.ascontiguousarray(noisy.T) + np.arange(table.size, step=table.shape[1])
    found: Floats = table.ravel().take(places)
    return found


def gaussian_moments(
    noisy: Floats, noise_variance: Floats | float, prior: tuple[Floats, Floats] | None
) -> tuple[Floats, Floats]:
    """Posterior means (n, d) and variances (d,) by (68), (69); without a prior's mean and variance N(x̃, σ²).

    The noise may differ by input, (d,). With a prior covariance (d, d) the posterior has one, too.
    """
    d = noisy.shape[1]
    noise = np.broadcast_to(np.asarray(noise_variance, dtype=float), d)
    if prior is None:
        return noisy, noise.copy()
    prior_mean, prior_variance = prior
    if prior_variance.ndim == 2:
        gain = np.linalg.lstsq(prior_variance + np.diag(noise), prior_variance, rcond=None)[0].T
        left = prior_variance - gain @ prior_variance
        return prior_mean + (noisy - prior_mean) @ gain.T, (left + left.T) / 2
    shrink = prior_variance / (prior_variance + noise)
    return (shrink * noisy + (1 - shrink) * prior_mean).astype(noisy.dtype), shrink * noise
