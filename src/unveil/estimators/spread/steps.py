"""E-steps: the expected gradient of the energy (60) at θ, by importance sampling of pixels or of z = θᵀx."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import prod
from typing import Self, TypeAlias

import numpy as np
from numpy.random import Generator

from unveil.estimators.spread.input_posterior import FlipRates, flip_moments, look_up, pixel_tables
from unveil.estimators.spread.label_loops import sum_alike, sum_projected
from unveil.estimators.spread.labels import LabelWeights
from unveil.estimators.spread.pixel_loops import sample_bytes, sample_pixels, weighted_counts, weighted_sums
from unveil.estimators.spread.priors import expect_counts, state_counts, update_prior
from unveil.numerics.draws import normals
from unveil.types import Array, Floats

#: Most samples held at a time: beyond, the images are taken block by block.
_MOST_SAMPLES = 1 << 26
#: A learned prior none of whose probabilities moves by more in a step is left as it is.
SETTLED = 1e-5


@dataclass(frozen=True)
class Expectations:
    """What an E-step hands to the M-step: sums over all images."""

    gradient: Floats
    intercept: float
    state_counts: Floats | None = None
    #: The mean over images of 1/Σw²: as good as so many samples of equal weight.
    effective: float = np.inf


def effective_samples(weights: Floats) -> float:
    """The mean over images (S, n) of 1/Σw²."""
    return float(np.mean(1 / np.einsum("sn,sn->n", weights, weights, dtype=float)))


#: The expectations at θ and the intercept, both in units of inputs scaled to [0, 1].
EStep: TypeAlias = Callable[[Floats, float, Generator], Expectations]


class LearningStep:
    """A flip step that learns its prior: the M-step (65) follows every E-step, until the prior stands still."""

    def __init__(self, step: FlipStep, prior: Floats, smoothing: float) -> None:
        step.count_states = True
        self.prior = prior
        self._step = step
        self._smoothing = smoothing

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """The expectations under the prior of before."""
        expected = self._step(theta, intercept, rng)
        if expected.state_counts is not None:
            prior = update_prior(expected.state_counts, self._smoothing)
            self._step.count_states = bool(np.abs(prior - self.prior).max() >= SETTLED)
            self.prior = prior
            self._step.set_prior(prior)
        return expected


class FlipStep(ABC):
    """An E-step over the states of flipped pixels (n, d), whose prior may change from iteration to iteration."""

    #: Whether the expectations are to say how often each state occurs: where the prior is learned.
    count_states = False

    def __init__(self, noisy: Array, labels: LabelWeights, rates: FlipRates, samples: int, prior: Floats) -> None:
        self._noisy = np.ascontiguousarray(noisy.T.astype(np.uint8))
        self._labels = labels
        self._rates = rates
        self._samples = samples
        self.set_prior(prior)

    @abstractmethod
    def set_prior(self, prior: Floats) -> None:
        """Use another prior (d, K) from now on."""

    @abstractmethod
    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """The expectations under the present prior."""


class FlipPixelStep(FlipStep):
    """`samples` draws of all pixels of every noisy image, as in the paper, block by block.

    All blocks share one piece of memory for their samples, so that it does not grow with the number of images.
    """

    def set_prior(self, prior: Floats) -> None:
        """Make the tables of another prior; a flat one over bytes needs none."""
        self._flat = self._rates.states == 256 and bool((prior == prior[0, 0]).all())
        if not self._flat:
            self._tables = pixel_tables(prior, self._rates)

    @cached_property
    def _scratch(self) -> Array:
        pixels, images = self._noisy.shape
        return np.empty(
            (min(images, max(1, _MOST_SAMPLES // (pixels * self._samples))), pixels * self._samples), np.uint8
        )

    def _sample(self, noisy: Array, weights: Floats, rng: Generator) -> tuple[Array, Floats]:
        """Sampled states (d, S, n), which the next call overwrites, and Σ_d weights[d]·state (S, n)."""
        shape = (noisy.shape[0], self._samples, noisy.shape[1])
        drawn, z = self._scratch.reshape(-1)[: prod(shape)].reshape(shape), np.zeros(shape[1:], np.float32)
        seeds = rng.integers(0, 1 << 64, len(noisy), dtype=np.uint64)
        theta = weights.astype(np.float32)
        if self._flat:
            limit = np.uint32(self._rates.flat_keep * 2.0**24)
            sample_bytes(noisy, limit, theta, seeds, drawn, z)
        else:
            sample_pixels(noisy, *self._tables, theta, seeds, drawn, z)
        return drawn, z

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """Draw, weigh, sum."""
        unit = 1 / (self._rates.states - 1)
        gradients, pull, effective = [], 0.0, []
        counts = np.zeros((len(theta), self._rates.states)) if self.count_states else None
        for start in range(0, self._noisy.shape[1], len(self._scratch)):
            images = slice(start, start + len(self._scratch))
            drawn, z = self._sample(np.ascontiguousarray(self._noisy[:, images]), theta * unit, rng)
            pulls, weights = self._labels.part(images)(z + np.float32(intercept), rng)
            flat = drawn.reshape(len(drawn), -1)
            sums = np.zeros(len(drawn), np.float32)
            weighted_sums(flat, pulls.astype(np.float32).ravel(), sums)
            if counts is not None:
                found = np.zeros((len(drawn), 256), np.float32)
                weighted_counts(flat, weights.astype(np.float32).ravel(), found)
                counts += found[:, : self._rates.states]
            gradients.append(sums * unit)
            pull += float(pulls.sum(dtype=float))
            effective.append(effective_samples(weights))
        return Expectations(np.sum(gradients, axis=0), pull, counts, float(np.mean(effective)))


@dataclass(frozen=True)
class GaussianPixelStep:
    """`samples` draws of every coordinate from the posterior (68), block by block."""

    mean: Floats
    variance: Floats
    labels: LabelWeights
    samples: int

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """Draw, weigh, sum."""
        kind = self.mean.dtype.type
        deviation = np.sqrt(self.variance).astype(kind)
        gradient, pull, effective = np.zeros(self.mean.shape[1]), 0.0, 0.0
        size = max(1, _MOST_SAMPLES // (8 * self.mean.shape[1] * self.samples))
        for start in range(0, len(self.mean), size):
            rows = slice(start, start + size)
            mean = self.mean[rows]
            drawn = mean + deviation * rng.standard_normal((self.samples, *mean.shape), dtype=kind)
            pulls, weights = self.labels.part(rows)(drawn @ theta.astype(kind) + kind(intercept), rng)
            gradient += np.tensordot(pulls, drawn, axes=2)
            pull += float(pulls.sum(dtype=float))
            effective += effective_samples(weights) * len(mean) / len(self.mean)
        return Expectations(gradient, pull, effective=effective)


@dataclass(frozen=True)
class ProjectedStep:
    """Samples of z = θᵀx instead of x: the energy (60) depends on x through z alone.

    z is drawn from the normal law with its posterior mean and variance, and x enters the gradient by its mean
    given z. For Gaussian noise this is exact (and the gradient has less sampling noise); for pixel flips it
    leans on the central limit theorem over the pixels.
    """

    #: The compiled sum over images, bound to what is known of them.
    sums: Callable[..., tuple[Floats, float, float]]
    images: int
    kind: type
    labels: LabelWeights
    samples: int

    @classmethod
    def of(cls, mean: Floats, variance: Floats, labels: LabelWeights, samples: int) -> Self:
        """From posterior means (n, d) and variances, (n, d) or (d,) for all images alike."""
        moments = np.ascontiguousarray(mean), np.ascontiguousarray(np.atleast_2d(variance), mean.dtype)
        return cls(partial(sum_projected, *moments), len(mean), mean.dtype.type, labels, samples)

    @classmethod
    def of_alike(cls, noisy: Array, labels: LabelWeights, rates: FlipRates, samples: int) -> Self:
        """For pixels (d, n) flipped under a flat prior, which leaves moments of one law in all of them."""
        top = rates.states - 1
        keep, spread = rates.flat_keep, (rates.states + 1) / (12 * top)
        law = 0.5, keep / top, (1 - keep) * spread, keep * (1 - keep) / top**2
        # Less their middle, states of up to 256 are exact.
        states = np.ascontiguousarray(noisy.T, np.float32) - np.float32(top / 2)
        return cls(partial(sum_alike, states, law), len(states), np.float32, labels, samples)

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """Draw z, weigh, and put E[x | z] into the sum."""
        noise: Floats = normals((self.samples, self.images), rng).astype(self.kind, copy=False)
        # The loops weigh in single precision, and are compiled once for both kinds of labels.
        leanings = (part.astype(np.float32, copy=False) for part in self.labels.leanings(self.samples, rng))
        gradient, pull, effective = self.sums(theta.astype(self.kind), float(intercept), noise, *leanings)
        return Expectations(gradient, pull, effective=effective / self.images)


class FlipProjectedStep(FlipStep):
    """`ProjectedStep` for pixel flips: posterior moments from tables that follow the prior.

    A learned prior takes its E-step from the noisy pixels alone, in closed form.
    """

    @cached_property
    def _noisy_counts(self) -> Floats:
        return state_counts(self._noisy, self._rates.states)

    def set_prior(self, prior: Floats) -> None:
        """Posterior moments under another prior."""
        self._prior = prior
        if self._rates.flip > 0 and (prior == prior[0, 0]).all():
            self._step = ProjectedStep.of_alike(self._noisy, self._labels, self._rates, self._samples)
            return
        values = np.arange(self._rates.states) / (self._rates.states - 1)
        tables = flip_moments(prior, self._rates, values)
        # What is never flipped leaves no variance to look up, image by image.
        nothing = np.zeros((1, len(self._noisy)), np.float32)
        mean, variance = (
            look_up(table.astype(np.float32), self._noisy) if table.any() else nothing for table in tables
        )
        self._step = ProjectedStep.of(mean, variance, self._labels, self._samples)

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """The projected step, and the expected counts of states where the prior is learned."""
        result = self._step(theta, intercept, rng)
        if not self.count_states:
            return result
        return replace(result, state_counts=expect_counts(self._noisy_counts, self._prior, self._rates))


#: The E-steps for flipped pixels, by the level at which they sample.
FLIP_STEPS: Mapping[str, type[FlipStep]] = {"pixel": FlipPixelStep, "z": FlipProjectedStep}
