"""Moments of features and target from a release of products, and how precise they are.

What was tallied are bits: the bit of a statistic s is one with probability low + slope·s. A mean of bits is
debiased with these two numbers; its variance is that of the bits, which holds both the veil's noise and the sample's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unveil.numerics.products import debias_outcomes, pair_places, unfold
from unveil.protocols.base import Release
from unveil.types import Array, Floats


@dataclass(frozen=True)
class EstimatedProducts:
    """Estimates of the mean `products`; `spread(G)` is the covariance of G times their errors, for rows of slopes G."""

    means: Floats
    spread: Callable[[Floats], Floats]

    def moments(self, d: int) -> tuple[Floats, Floats]:
        """(E[xxᵀ], E[x·y])."""
        return unfold(self.means, d)


def estimate_products(release: Release) -> EstimatedProducts:
    """From a release of the protocol "products"; the constant times itself is known."""
    found = _from_outcomes(release) if "pairs" in release.arrays else _from_bits(release)
    if not release.parameters.get("intercept"):
        return found
    d = int(release.number("dimension"))
    constant = d * (d + 1) // 2 - 1
    means = found.means.copy()
    means[constant] = release.number("upper")

    def spread(slopes: Floats) -> Floats:
        return found.spread(np.where(np.arange(len(means)) == constant, 0.0, slopes))

    return EstimatedProducts(means, spread)


def entry_deviation(release: Release) -> float:
    """σ of the noisiest entry of E[xxᵀ]: what one record leaves, less by the root of their number."""
    return release.number("noise_of_one") / float(np.sqrt(release.records))


def _from_bits(release: Release) -> EstimatedProducts:
    """Per-value release: every record shows a bit of each statistic; tallied are the ones, and pairs of ones."""
    low, slope, n = release.number("low"), release.number("slope"), release.records
    shares = release.arrays["ones"] / n
    covariance = (release.arrays["both"] / n - np.outer(shares, shares)) / (n * slope**2)
    return EstimatedProducts((shares - low) / slope, lambda slopes: np.asarray(slopes @ covariance @ slopes.T))


def _from_outcomes(release: Release) -> EstimatedProducts:
    """Coordinate release of products: a record shows one bit of x_i·y, or three of a pair i < j.

    A mean is taken over the records that show its statistic; where some pair was never shown, over as many as are
    expected to.
    """
    d, n = int(release.number("dimension")), release.records
    targets, pairs = release.arrays["targets"], release.arrays["pairs"]
    values = _values(release, "target"), _values(release, "pair")
    means, divisor, realised = debias_outcomes(targets, pairs, values)
    groups, own = pair_places(d), slice(len(means) - d, None)
    centre = means if realised else np.zeros_like(means)

    def spread(slopes: Floats) -> Floats:
        total = np.zeros((len(slopes),) * 2)
        scaled = slopes / divisor
        for outcome in range(8):
            moved = sum(
                scaled[:, group] * (values[1][outcome >> bit & 1] - centre[group]) for bit, group in enumerate(groups)
            )
            total += np.asarray(moved) * pairs[:, outcome] @ np.asarray(moved).T
        for outcome in range(2):
            moved = scaled[:, own] * (values[0][outcome] - centre[own])
            total += moved * targets[:, outcome] @ moved.T
        drift = slopes @ means
        return total if realised else total - np.outer(drift, drift) / n

    return EstimatedProducts(means, spread)


def _values(release: Release, what: str) -> Array:
    """What a bit 0 or 1 stands for."""
    low, slope = (release.number(f"{name}_{what}") for name in ("low", "slope"))
    return (np.arange(2) - low) / slope
