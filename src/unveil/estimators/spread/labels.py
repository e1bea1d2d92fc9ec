"""Importance weights and the pull of every sample on θ, with the true label sampled or summed, (59) and (60).

`z` (S, n) holds θᵀx of the samples. The pull of a sample is its weight times c − φ(z), the derivative of
log φ((2c − 1)z); the gradient of the energy (60) is Σ pull·x.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.random import Generator

from unveil.estimators.spread.label_loops import weigh
from unveil.numerics.draws import coins
from unveil.types import Array, Floats


@dataclass(frozen=True)
class LabelWeights(ABC):
    """What the true labels 1 and 0 weigh beside φ(z) and φ(−z), for these noisy labels under the flips `matrix`."""

    noisy_labels: Array
    matrix: Floats
    #: How many random words `leanings` takes.
    words: ClassVar[int]

    def part(self, images: slice) -> Self:
        """The same for some of the images."""
        return replace(self, noisy_labels=self.noisy_labels[images])

    @abstractmethod
    def leanings(self, samples: int, rng: Generator) -> tuple[Floats, Floats]:
        """The weight of label 1, and of label 0, of every sample (S, n), or of all samples of an image (1, n)."""

    def __call__(self, z: Floats, rng: Generator) -> tuple[Floats, Floats]:
        """Pulls and weights, both (S, n); the weights sum to one over the samples of an image."""
        pulls, weights = np.empty_like(z), np.empty_like(z)
        weigh(z, *self.leanings(len(z), rng), pulls, weights)
        return pulls, weights


class SampledLabels(LabelWeights):
    """Labels drawn from ρ(c | c̃) ∝ p(c̃ | c) as in the paper, weights by (59)."""

    words = 1

    def leanings(self, samples: int, rng: Generator) -> tuple[Floats, Floats]:
        """One label a sample."""
        return coins(samples, (self.matrix[:, 1] / self.matrix.sum(axis=1))[self.noisy_labels], rng)


class SummedLabels(LabelWeights):
    """Both labels of every sample, weighted by p(c̃ | c) φ((2c − 1)z): the sum over c in (57) done exactly."""

    words = 0

    def leanings(self, samples: int, rng: Generator) -> tuple[Floats, Floats]:  # noqa: ARG002 - nothing to draw
        """Alike in all samples."""
        return self.matrix[self.noisy_labels, 1][None], self.matrix[self.noisy_labels, 0][None]


#: What an estimator's `labels` may be.
WEIGHTS: Mapping[str, type[LabelWeights]] = {"sampled": SampledLabels, "summed": SummedLabels}
