"""E-steps: the expected gradient of the energy (60) at θ, by importance sampling of pixels or of z = θᵀx."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Protocol

import numpy as np
from numpy.random import Generator

from unveil.errors import require
from unveil.estimators.spread.input_posterior import FlipRates, PixelTables, flip_moments, look_up
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


class EStep(Protocol):
    """One E-step at θ and the intercept, both in units of inputs scaled to [0, 1]."""

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """The expectations under the importance distribution of the present prior."""
        ...


class FlipStep(EStep, Protocol):
    """An E-step over discrete states, whose prior may change from iteration to iteration."""

    def set_prior(self, prior: Floats) -> None:
        """Use another prior (d, K) from now on."""
        ...

    def stop_counting(self) -> None:
        """Count no states from now on: the prior is not learned any more."""
        ...


class BlockwiseStep:
    """The sum of E-steps over blocks of images."""

    def __init__(self, parts: Sequence[FlipStep]) -> None:
        self._parts = parts

    def set_prior(self, prior: Floats) -> None:
        """Use another prior in every block."""
        for part in self._parts:
            part.set_prior(prior)

    def stop_counting(self) -> None:
        """Nor in any block."""
        for part in self._parts:
            part.stop_counting()

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """Block after block."""
        results = [part(theta, intercept, rng) for part in self._parts]
        counts = [result.state_counts for result in results if result.state_counts is not None]
        return Expectations(
            np.sum([result.gradient for result in results], axis=0),
            sum(result.intercept for result in results),
            np.sum(counts, axis=0) if counts else None,
            float(np.mean([result.effective for result in results])),
        )


class LearningStep:
    """A flip step that learns its prior: the M-step (65) follows every E-step, until the prior stands still."""

    def __init__(self, step: FlipStep, prior: Floats, smoothing: float) -> None:
        self.prior = prior
        self._step = step
        self._smoothing = smoothing
        self._settled = False

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """The expectations under the prior of before."""
        expected = self._step(theta, intercept, rng)
        if not self._settled:
            require(expected.state_counts is not None, "step must count states for its prior to be learned")
            prior = update_prior(np.asarray(expected.state_counts), self._smoothing)
            self._settled = bool(np.abs(prior - self.prior).max() < SETTLED)
            self.prior = prior
            self._step.set_prior(prior)
            if self._settled:
                self._step.stop_counting()
        return expected


class FlipPixelStep:
    """`samples` draws of all pixels of every noisy image, as in the paper, kept in `scratch` where it is given."""

    def __init__(
        self,
        noisy: Array,
        labels: LabelWeights,
        rates: FlipRates,
        samples: int,
        prior: Floats,
        *,
        count_states: bool = False,
        scratch: Array | None = None,
    ) -> None:
        self._noisy = np.ascontiguousarray(noisy.T.astype(np.uint8))
        self._labels = labels
        self._rates = rates
        self._count_states = count_states
        shape = (noisy.shape[1], samples, noisy.shape[0])
        space = np.empty(prod(shape), np.uint8) if scratch is None else scratch
        self._drawn = space[: prod(shape)].reshape(shape)
        self.set_prior(prior)

    def set_prior(self, prior: Floats) -> None:
        """Make the tables of another prior; a flat one over bytes needs none."""
        self._flat = self._rates.states == 256 and bool((prior == prior[0, 0]).all())
        if not self._flat:
            self._tables = PixelTables.of(prior, self._rates)

    def stop_counting(self) -> None:
        """Leave the states uncounted."""
        self._count_states = False

    def sample(self, weights: Floats, rng: Generator) -> tuple[Array, Floats]:
        """Sampled states (d, S, n), which the next call overwrites, and Σ_d weights[d]·state (S, n)."""
        z = np.zeros(self._drawn.shape[1:], np.float32)
        seeds = rng.integers(0, 1 << 64, len(self._noisy), dtype=np.uint64)
        theta = weights.astype(np.float32)
        if self._flat:
            limit = np.uint32(self._rates.flat_keep * 2.0**24)
            sample_bytes(self._noisy, limit, theta, seeds, self._drawn, z)
        else:
            sample_pixels(self._noisy, self._tables.keep, self._tables.alias, theta, seeds, self._drawn, z)
        return self._drawn, z

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """Draw, weigh, sum."""
        unit = 1 / (self._rates.states - 1)
        drawn, z = self.sample(theta * unit, rng)
        pulls, weights = self._labels(z + np.float32(intercept), rng)
        flat = drawn.reshape(len(drawn), -1)
        sums = np.zeros(len(drawn), np.float32)
        weighted_sums(flat, pulls.astype(np.float32).ravel(), sums)
        counts = None
        if self._count_states:
            counts = np.zeros((len(drawn), 256), np.float32)
            weighted_counts(flat, weights.astype(np.float32).ravel(), counts)
            counts = counts[:, : self._rates.states].astype(float)
        return Expectations(sums * unit, float(pulls.sum(dtype=float)), counts, effective_samples(weights))


class GaussianPixelStep:
    """`samples` draws of every coordinate from the posterior (68), block by block."""

    def __init__(self, mean: Floats, variance: Floats, labels: LabelWeights, samples: int) -> None:
        self._mean, self._deviation = mean, np.sqrt(variance).astype(mean.dtype)
        self._labels = labels
        self._samples = samples

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """Draw, weigh, sum."""
        kind = self._mean.dtype.type
        gradient, pull, effective = np.zeros(self._mean.shape[1]), 0.0, 0.0
        size = max(1, _MOST_SAMPLES // (8 * self._mean.shape[1] * self._samples))
        for start in range(0, len(self._mean), size):
            rows = slice(start, start + size)
            mean = self._mean[rows]
            drawn = mean + self._deviation * rng.standard_normal((self._samples, *mean.shape), dtype=kind)
            pulls, weights = self._labels.part(rows)(drawn @ theta.astype(kind) + kind(intercept), rng)
            gradient += np.tensordot(pulls, drawn, axes=2)
            pull += float(pulls.sum(dtype=float))
            effective += effective_samples(weights) * len(mean) / len(self._mean)
        return Expectations(gradient, pull, effective=effective)


class ProjectedStep:
    """Samples of z = θᵀx instead of x: the energy (60) depends on x through z alone.

    z is drawn from the normal law with its posterior mean and variance, and x enters the gradient by its mean
    given z. For Gaussian noise this is exact (and the gradient has less sampling noise); for pixel flips it
    leans on the central limit theorem over the pixels.
    """

    def __init__(self, mean: Floats, variance: Floats, labels: LabelWeights, samples: int) -> None:
        self._mean = np.ascontiguousarray(mean)
        self._variance = np.ascontiguousarray(np.atleast_2d(variance), mean.dtype)
        self._labels = labels
        self._samples = samples

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """Draw z, weigh, and put E[x | z] into the sum."""
        kind = self._mean.dtype.type
        noise = normals((self._samples, len(self._mean)), rng).astype(kind, copy=False)
        one, zero = self._labels.leanings(self._samples, rng)
        sums = sum_projected(self._mean, self._variance, theta.astype(kind), float(intercept), noise, one, zero)
        return Expectations(sums[0], sums[1], effective=sums[2] / len(self._mean))


class AlikeStep:
    """`ProjectedStep` for flipped pixels under a flat prior, which leaves moments of one law in all of them."""

    def __init__(self, noisy: Array, labels: LabelWeights, rates: FlipRates, samples: int) -> None:
        top = rates.states - 1
        keep = rates.flat_keep
        spread = (rates.states + 1) / (12 * top)
        self._law = 0.5, keep / top, (1 - keep) * spread, keep * (1 - keep) / top**2
        # Less their middle, states of up to 256 are exact.
        self._states = np.ascontiguousarray(noisy.T, np.float32) - np.float32(top / 2)
        self._labels = labels
        self._samples = samples

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """Draw z, weigh, and put E[x | z] into the sum."""
        noise = normals((self._samples, len(self._states)), rng)
        one, zero = self._labels.leanings(self._samples, rng)
        sums = sum_alike(self._states, self._law, theta.astype(np.float32), float(intercept), noise, one, zero)
        return Expectations(sums[0], sums[1], effective=sums[2] / len(self._states))


class FlipProjectedStep:
    """`ProjectedStep` for pixel flips: posterior moments from tables that follow the prior.

    A learned prior takes its E-step from the noisy pixels alone, in closed form.
    """

    def __init__(
        self,
        noisy: Array,
        labels: LabelWeights,
        rates: FlipRates,
        samples: int,
        prior: Floats,
        *,
        count_states: bool = False,
    ) -> None:
        self._noisy = np.ascontiguousarray(noisy.T.astype(np.uint8))
        self._labels = labels
        self._rates = rates
        self._samples = samples
        self._noisy_counts = state_counts(self._noisy, rates.states) if count_states else None
        self.set_prior(prior)

    def set_prior(self, prior: Floats) -> None:
        """Posterior moments under another prior."""
        self._prior = prior
        if self._rates.flip > 0 and (prior == prior[0, 0]).all():
            self._step: EStep = AlikeStep(self._noisy, self._labels, self._rates, self._samples)
            return
        values = np.arange(self._rates.states) / (self._rates.states - 1)
        tables = flip_moments(prior, self._rates, values)
        # What is never flipped leaves no variance to look up, image by image.
        nothing = np.zeros((1, len(self._noisy)), np.float32)
        mean, variance = (
            look_up(table.astype(np.float32), self._noisy) if table.any() else nothing for table in tables
        )
        self._step = ProjectedStep(mean, variance, self._labels, self._samples)

    def stop_counting(self) -> None:
        """Forget how often the noisy states occur."""
        self._noisy_counts = None

    def __call__(self, theta: Floats, intercept: float, rng: Generator) -> Expectations:
        """The projected step, and the expected counts of states where the prior is learned."""
        result = self._step(theta, intercept, rng)
        if self._noisy_counts is None:
            return result
        counts = expect_counts(self._noisy_counts, self._prior, self._rates)
        return replace(result, state_counts=counts)


def flip_step(
    noisy: Array, labels: LabelWeights, rates: FlipRates, samples: int, prior: Floats, *, level: str, count_states: bool
) -> FlipStep:
    """The E-step for flipped pixels at the level of "pixel" or "z"; pixels are sampled block by block.

    All blocks share one piece of memory for their samples, so that it does not grow with the number of images.
    """
    if level == "z":
        return FlipProjectedStep(noisy, labels, rates, samples, prior, count_states=count_states)
    images, pixels = noisy.shape
    size = min(images, max(1, _MOST_SAMPLES // (pixels * samples)))
    scratch = np.empty(size * pixels * samples, np.uint8)
    blocks = [slice(start, start + size) for start in range(0, images, size)]
    return BlockwiseStep(
        [
            FlipPixelStep(
                noisy[rows], labels.part(rows), rates, samples, prior, count_states=count_states, scratch=scratch
            )
            for rows in blocks
        ]
    )
