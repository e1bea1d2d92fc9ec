"""Linear models from second moments of z = (features, 1, target) with noise of a known size.

Numbers of a public range are scaled to [−1, 1], where such releases have them: so the constant is nearly orthogonal to
them, and one size of noise fits all entries.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator, default_rng

from unveil.numerics.columns import column_places, public_products
from unveil.numerics.products import residual_slopes
from unveil.protocols.base import Release
from unveil.types import Floats

SOLVERS = ("truncated", "ridge")
#: How much noise is added where moments are split, as a share of theirs, and how often they are.
THINNED, SPLITS = 0.5, 40


def invert_spectrum(values: Floats, noise: float, solver: str) -> Floats:
    """What each eigenvalue is replaced by, whose matrix has entrywise noise of deviation σ.

    "truncated" drops those up to 2σ√d, where a symmetric matrix of noise has its spectrum; "ridge" clips them at zero
    and adds σ√d. Nothing below the rounding of the largest is ever inverted.
    """
    d = len(values)
    rounding = d * np.finfo(float).eps * max(float(np.abs(values).max()), np.finfo(float).tiny)
    if solver == "truncated":
        floor, lifted = max(2 * noise * np.sqrt(d), rounding), values
    else:
        floor, lifted = rounding, np.maximum(values, 0.0) + noise * np.sqrt(d)
    kept = lifted > floor
    return np.where(kept, 1 / np.where(kept, lifted, 1.0), 0.0)


@dataclass(frozen=True)
class NoisyMoments:
    """E[zzᵀ], the deviation of each entry's noise, and how features x become those of z: scale·x − shift."""

    matrix: Floats
    deviations: Floats
    scale: Floats
    shift: Floats
    records: int

    @classmethod
    def of(cls, release: Release) -> NoisyMoments:
        """From a release of the protocol "moments", or of several that were merged."""
        known, n, steps = release.parameters, release.records, release.number("steps")
        columns = [int(width) for width in known["columns"]]
        entry = float(np.sqrt(len(release.pieces) * release.number("variance"))) / (steps**2 * n)
        deviations = np.where(public_products(columns, "classes" in known), 0.0, entry)
        # Squares have twice the noise, but for a category's, which are its products with the constant.
        deviations += np.diag(np.diagonal(deviations))
        for start, width in column_places(columns):
            own = np.arange(start, start + width if width > 1 else start)
            deviations[own, own] = entry
        numbers = np.repeat(np.equal(columns, 1), columns)
        scale, shift = np.where(numbers, 2.0, 1.0), np.where(numbers, 1.0, 0.0)
        return cls(release.arrays["sums"] / (steps**2 * n), deviations, scale, shift, n)

    @classmethod
    def in_the_clear(cls, X: Floats, target: Floats) -> NoisyMoments:
        """Of records, with features about their means and in units of their deviations."""
        mean, spread = X.mean(axis=0), X.std(axis=0)
        scale = np.where(spread > 1e-12 * np.abs(mean), 1 / np.where(spread > 0, spread, 1.0), 0.0)
        z = np.column_stack([(X - mean) * scale, np.ones(len(X)), target])
        return cls(z.T @ z / len(X), np.zeros((X.shape[1] + 2,) * 2), scale, mean * scale, len(X))

    def solve(self, solver: str) -> LinearFit:
        """The linear model of the target."""
        d = len(self.scale) + 1
        values, directions = np.linalg.eigh(self.matrix[:d, :d])
        inverses = invert_spectrum(values, float(self.deviations[0, d - 1]), solver)
        inverse = (directions * inverses) @ directions.T
        positive = (directions * np.maximum(values, 0.0)) @ directions.T
        rank = int(np.count_nonzero(inverses))
        return LinearFit(self, solver, inverse @ self.matrix[:d, d], inverse, positive, rank)

    def split(self, rng: Generator) -> tuple[NoisyMoments, Floats]:
        """Moments with a little more noise, and others whose noise has nothing to do with that of the first.

        To M + E is added aE′, or −E′/a, with E′ of the variance of E: the two sums are uncorrelated.
        """
        drawn = np.triu(rng.normal(size=self.matrix.shape))
        more = (drawn + np.triu(drawn, 1).T) * self.deviations
        noisier = self.deviations * np.sqrt(1 + THINNED**2)
        return replace(self, matrix=self.matrix + THINNED * more, deviations=noisier), self.matrix - more / THINNED


@dataclass(frozen=True)
class LinearFit:
    """Weights of (features, 1) as the moments have them, and what is known of their errors."""

    moments: NoisyMoments
    solver: str
    weights: Floats
    inverse: Floats
    #: E[xxᵀ] without negative eigenvalues.
    second: Floats
    rank: int

    @property
    def covariance(self) -> Floats:
        """Of the weights, by the delta method: the noise of every entry, and records with errors of one size."""
        d = len(self.weights)
        deviations, places = self.moments.deviations, np.triu_indices(d)
        variances = np.concatenate([deviations[:d, :d][places], deviations[:d, d]]) ** 2
        slopes = residual_slopes(self.inverse, self.weights)
        sampling = self.rest / self.moments.records * self.inverse @ self.second @ self.inverse
        return np.asarray((slopes * variances) @ slopes.T + sampling)

    @property
    def rest(self) -> float:
        """The mean square of what the model seems to leave of the target."""
        matrix, d = self.moments.matrix, len(self.weights)
        left = matrix[d, d] - 2 * self.weights @ matrix[:d, d] + self.weights @ self.second @ self.weights
        return max(float(left), 0.0)

    @property
    def spread(self) -> float:
        """The variance of the target, as far as it can be told from none."""
        return max(float(self.moments.matrix[-1, -1] - self.moments.matrix[-1, -2] ** 2), 0.0)

    @property
    def skill(self) -> tuple[float, float]:
        """The share of the target's variance that such a model explains, of other records; its deviation.

        Models of moments with a little more noise are held against moments whose noise they do not know. It is noisy,
        too, and cut at one and at minus one.
        """
        spread, rng, left = self.spread, default_rng(0), []
        if spread == 0:
            return -1.0, 0.0
        for _ in range(SPLITS):
            known, others = self.moments.split(rng)
            z = np.append(known.solve(self.solver).weights, -1.0)
            left.append(z @ others @ z)
        z = np.append(self.weights, -1.0)
        moved = np.outer(z, z) * self.moments.deviations
        noise = 4 * np.sum(np.triu(moved, 1) ** 2) + np.sum(np.diagonal(moved) ** 2) + np.var(left) / SPLITS
        sampling = 2 * self.rank * self.rest / self.moments.records
        share = 1 - (float(np.mean(left)) + sampling) / spread
        return float(np.clip(share, -1, 1)), float(np.sqrt(noise)) / spread

    def in_shares(self) -> Floats:
        """The matrix from weights of z to those of features as they were given, the constant's last."""
        back = np.diag(np.append(self.moments.scale, 1.0))
        back[-1, :-1] = -self.moments.shift
        return back
