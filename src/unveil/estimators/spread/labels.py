"""Importance weights and the pull of every sample on θ, with the true label sampled or summed, (59) and (60).

`z` (S, n) holds θᵀx of the samples. The pull of a sample is its weight times c − φ(z), the derivative of
log φ((2c − 1)z); the gradient of the energy (60) is Σ pull·x. All weights are formed in logarithms and
shifted by the largest of an image's samples, so that none can underflow to 0/0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.random import Generator

from unveil.types import Array, Floats


@dataclass(frozen=True)
class LabelWeights(ABC):
    """From z to `(pulls, weights)`, both (S, n), for these noisy labels under the flips `matrix`."""

    noisy_labels: Array
    matrix: Floats

    def part(self, images: slice) -> Self:
        """The same for some of the images."""
        return replace(self, noisy_labels=self.noisy_labels[images])

    @abstractmethod
    def __call__(self, z: Floats, rng: Generator) -> tuple[Floats, Floats]:
        """The weights sum to one over the samples of an image."""


def _logistic(z: Floats) -> tuple[Floats, Floats]:
    """φ(z) and 1 + exp(−|z|), the common factor of φ(z) and φ(−z)."""
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, z.dtype.type(1), small) / (1 + small), 1 + small


class SampledLabels(LabelWeights):
    """Labels drawn from ρ(c | c̃) ∝ p(c̃ | c) as in the paper, weights by (59)."""

    def __call__(self, z: Floats, rng: Generator) -> tuple[Floats, Floats]:
        """One label a sample."""
        chance = self.matrix[:, 1] / self.matrix.sum(axis=1)
        drawn = rng.random(z.shape, dtype=np.float32) < chance.astype(np.float32)[self.noisy_labels]
        phi, factor = _logistic(z)
        level = np.minimum(np.where(drawn, z, -z), 0)
        weights = np.exp(level - level.max(axis=0)) / factor
        weights /= weights.sum(axis=0)
        return weights * (drawn - phi), weights


class SummedLabels(LabelWeights):
    """Both labels of every sample, weighted by p(c̃ | c) φ((2c − 1)z): the sum over c in (57) done exactly."""

    def __call__(self, z: Floats, rng: Generator) -> tuple[Floats, Floats]:  # noqa: ARG002 - nothing to draw
        """The weight of a sample is the sum over its labels."""
        with np.errstate(divide="ignore"):
            log_matrix = np.log(self.matrix).astype(z.dtype)
        phi, factor = _logistic(z)
        one = log_matrix[self.noisy_labels, 1] + np.minimum(z, 0)
        zero = log_matrix[self.noisy_labels, 0] - np.maximum(z, 0)
        shift = np.maximum(one, zero).max(axis=0)
        one, zero = np.exp(one - shift) / factor, np.exp(zero - shift) / factor
        total = (one + zero).sum(axis=0)
        return (one * (1 - phi) - zero * phi) / total, (one + zero) / total
