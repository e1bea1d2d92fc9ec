"""The spread estimator on inputs with Gaussian noise by gradient ascent, several of its kinds at once.

A posterior mean (68) is the noisy input, shrunk and moved alike for all records. So what the kinds need of the inputs
are products with one and the same matrix, and these share its passes through the memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from unveil.errors import require
from unveil.estimators.spread.label_loops import pull_samples
from unveil.estimators.spread.labels import LabelWeights
from unveil.numerics.draws import copy_ahead, normals
from unveil.types import Array, Floats

#: Records handled at once: they stay in the second-level cache, and for few kinds BLAS multiplies them without copying.
BLOCK = 128


@dataclass(frozen=True)
class Kind:
    """One ascent: how noisy labels weigh, the samples a record and step, the variance of the noise, and the prior's.

    `prior` is a normal law's mean and variance, the same for every input; without one it is flat. Without noise the
    ascent is plain logistic regression's.
    """

    labels: LabelWeights
    samples: int = 1
    noise: float = 0.0
    prior: tuple[float, float] | None = None

    @property
    def law(self) -> tuple[float, float, float]:
        """By what a noisy input is multiplied, what is added, and what variance is left, (68) and (69)."""
        if self.prior is None:
            return 1.0, 0.0, self.noise
        kept = self.prior[1] / (self.prior[1] + self.noise)
        return kept, (1 - kept) * self.prior[0], kept * self.noise

    def draw(self, records: int, rng: Generator) -> tuple[Array, Array, Array]:
        """Standard normal numbers (S, n), and the weights of the labels 1 and 0."""
        return normals((self.samples, records), rng), *self.labels.leanings(self.samples, rng)


def ascend(inputs: Floats, kinds: Sequence[Kind], rate: float, checkpoints: Sequence[int], rng: Generator) -> Floats:
    """Weights (checkpoints, kinds, d) from θ = 0, by steps of `rate` on the mean gradient.

    The draws and, up to rounding in the inputs' precision, the weights are those of every kind in turn by
    `SpreadLogistic(noise="gaussian", level="z", solver="em", tol=0, standardise=False, fit_intercept=False)`.
    """
    steps, path = max(checkpoints), {}
    streams = [copy_ahead(rng, steps * (1 + kind.labels.words)) for kind in kinds]
    theta: Floats = np.zeros((len(kinds), inputs.shape[1]))
    for step in range(1, steps + 1):
        drawn = [kind.draw(len(inputs), stream) for kind, stream in zip(kinds, streams, strict=True)]
        theta = theta + rate * (_gradients(inputs, kinds, theta, drawn) / len(inputs))
        # Written so that it also catches what is not a number; single precision ends near 1e38.
        require(np.abs(theta).max() < 1e30, "the weights grow without bound: lower rate")
        if step in checkpoints:
            path[step] = theta
    return np.stack([path[point] for point in checkpoints])


def _gradients(
    inputs: Floats, kinds: Sequence[Kind], theta: Floats, drawn: Sequence[tuple[Array, Array, Array]]
) -> Floats:
    """The sums over records of pull·E[x | z] at each kind's θ, (kinds, d)."""
    factor, shift, left = (np.array(part)[:, None] for part in zip(*(kind.law for kind in kinds), strict=True))
    turned, offsets = (factor * theta).astype(inputs.dtype), (shift * theta).sum(axis=1).astype(inputs.dtype)
    tau = np.sqrt(left[:, 0] * (theta * theta).sum(axis=1)).astype(inputs.dtype)
    spread = np.repeat(tau[:, None], BLOCK, axis=1)
    sums, pulls, bent = np.zeros(theta.shape), np.zeros(len(kinds)), np.zeros(len(kinds))
    for start in range(0, len(inputs), BLOCK):
        part = slice(start, start + BLOCK)
        middle = turned @ inputs[part].T + offsets[:, None]
        direct = np.empty_like(middle)
        for i, (noise, one, zero) in enumerate(drawn):
            own = spread[i, : len(middle[i])]
            direct[i], along, pull, _ = pull_samples(middle[i], own, noise, one, zero, start)
            pulls[i] += pull
            bent[i] += along.sum()
        sums += direct @ inputs[part]
    return factor * sums + shift * pulls[:, None] + left * bent[:, None] * theta
