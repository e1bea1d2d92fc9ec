"""Factorised priors p(x[d] | d) over the states of a pixel: flat, given, or learned by EM, (62) to (65)."""

from __future__ import annotations

from typing import Any

import numpy as np

from unveil.errors import require
from unveil.estimators.spread.input_posterior import FlipRates
from unveil.types import Array, Floats, as_numbers, require_moderate


def flat_prior(pixels: int, states: int) -> Floats:
    """Every state of every pixel alike."""
    return np.full((pixels, states), 1 / states)


def given_prior(prior: Floats, pixels: int, states: int) -> Floats:
    """A prior that the caller knows, checked."""
    table: Floats = as_numbers(prior, "prior")
    require(table.shape == (pixels, states), f"prior must have shape ({pixels}, {states}), not {table.shape}")
    require(np.isfinite(table).all() and (table >= 0).all(), "prior must hold finite probabilities, none negative")
    require(np.allclose(table.sum(axis=1), 1, atol=1e-6), "prior must sum to one for every pixel")
    normalised: Floats = table / table.sum(axis=1, keepdims=True)
    return normalised


def normal_prior(prior: Any, noisy: Floats, noise: Floats) -> tuple[Floats, Floats] | None:
    """Mean and variances (66), or covariance, of a normal prior; None for the flat one."""
    inputs = noisy.shape[1]
    if prior is None or isinstance(prior, str):
        known = "prior must be 'flat', 'normal' or a pair (mean, variance) for Gaussian noise"
        require(prior in (None, "flat", "normal"), known)
        return learn_normal(noisy, noise) if prior == "normal" else None
    require(isinstance(prior, (tuple, list)) and len(prior) == 2, "prior must be a pair (mean, variance)")
    mean, variance = (as_numbers(part, "prior") for part in prior)
    fine = variance.shape in ((), (1,), (inputs,), (inputs, inputs)) and mean.shape in ((), (1,), (inputs,))
    require(fine, f"prior must hold one number, or one for each of {inputs} inputs, or their covariance")
    require_moderate(mean, "the prior's mean")
    require_moderate(variance, "the prior's variance")
    mean = np.broadcast_to(mean, inputs)
    if variance.ndim == 2:
        require(np.allclose(variance, variance.T), "the prior's covariance must be symmetric")
        least = float(np.linalg.eigvalsh(variance)[0])
        require(least >= -1e-9 * float(np.abs(variance).max()), "the prior's covariance must have no negative variance")
        return mean, variance
    variance = np.broadcast_to(variance, inputs)
    require((variance > 0).all(), "the prior's variance must be positive and finite")
    return mean, variance


def learn_normal(noisy: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """The normal prior that the noisy inputs show: their mean, and their covariance less the noise's.

    What sampling makes negative of the covariance is set to zero: the nearest one.
    """
    seen = np.cov(noisy, rowvar=False, dtype=float).reshape(noisy.shape[1], -1)
    values, axes = np.linalg.eigh(seen - np.diag(noise))
    covariance = (axes * np.maximum(values, 0)) @ axes.T
    return noisy.mean(axis=0, dtype=float), np.asarray((covariance + covariance.T) / 2)


def state_counts(pixels: Array, states: int) -> Floats:
    """How often every state occurs in every pixel, (d, K); `pixels` (d, n)."""
    offsets = np.arange(len(pixels))[:, None] * states
    return np.bincount((offsets + pixels).ravel(), minlength=len(pixels) * states).reshape(-1, states).astype(float)


def pixel_marginals(pixels: Array, states: int) -> Floats:
    """The marginal law of every pixel of clean `pixels` (n, d): the paper's true factorised prior."""
    require(pixels.ndim == 2 and len(pixels) > 0, "pixels must be a table with at least one row")
    return state_counts(pixels.T, states) / len(pixels)


def update_prior(counts: Floats, smoothing: float) -> Floats:
    """The M-step (65) for expected `counts` (d, K), with `smoothing` imaginary images of uniform states.

    ASSUME: the paper does not smooth. Without it a state that gets no weight once could never come back, because
    zero is a fixed point of EM.
    """
    padded = counts + smoothing / counts.shape[1]
    updated: Floats = padded / padded.sum(axis=1, keepdims=True)
    return updated


def expect_counts(noisy_counts: Floats, prior: Floats, rates: FlipRates) -> Floats:
    """E-step for the prior from the noisy pixels alone: Σ over noisy states of their count times ρ(k | x̃)."""
    kept = noisy_counts * rates.keep(prior)
    # One after the other, so that the sum is the same on every processor.
    left = np.cumsum(noisy_counts - kept, axis=1)[:, -1:]
    counts: Floats = kept + left * prior
    return counts
