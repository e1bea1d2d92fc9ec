"""Mixture weights of sets with known proportions, and which diagonal and bandwidth the sets themselves speak for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from unveil.estimators.bags.mixtures import (
    class_embeddings,
    is_definite,
    l1_errors,
    meant_shares,
    mixture_weights,
    unbiased_weights,
    without_own_noise,
)
from unveil.estimators.bags.mmd_gram import mean_similarities, mmd_gram, stack_points
from unveil.estimators.bags.precision import class_variances, expected_risk, leave_own_out, second_moments
from unveil.estimators.bags.unmixing import tell_apart
from unveil.types import Array


class Solver(NamedTuple):
    """Ĝ⁺, or Wᵀ(WĜWᵀ)⁺W, by the eigenvectors of the symmetric matrix: what every least-squares solution shares."""

    vectors: Array
    values: Array
    embeddings: Array | None
    condition: float  #: of the matrix that was decomposed

    @classmethod
    def of(cls, matrix: Array, embeddings: Array | None, least: float = 0.0) -> Self:
        """Decompose the matrix; eigenvalues count as zero where `mixture_weights` takes singular values for it.

        So do those below `least`, as a share of the largest.
        """
        values, vectors = np.linalg.eigh(matrix)
        sizes = np.abs(values)
        kept = sizes > max(len(sizes) * np.finfo(float).eps, least) * sizes.max()
        condition = float(sizes.max() / sizes.min()) if sizes.min() > 0.0 else np.inf
        return cls(vectors[:, kept], values[kept], embeddings, condition)

    def weights(self, cross: Array) -> Array:
        """α̂, (queries, bags), for inner products â of bags and queries, (bags, queries): the shortest solution."""
        asked = cross if self.embeddings is None else self.embeddings @ cross
        shortest = ((asked.T @ self.vectors) / self.values) @ self.vectors.T
        return np.asarray(shortest if self.embeddings is None else shortest @ self.embeddings)


class MixedSets(NamedTuple):
    """What the weights come from: proportions and sizes of the bags, and the classes' means in theirs."""

    proportions: Array
    sizes: Array
    embeddings: Array
    meant: Array  #: the proportions, or what is left of them where they are veiled

    def carried(self, diagonal: str) -> Array:
        """The shares of the bags of which a mixture is the estimate; weights by Ĝ as printed do not know P̂'s noise."""
        return self.proportions if diagonal == "printed" else self.meant

    def weights(self, gram: Array, cross: Array, diagonal: str) -> Array:
        """α̂ at every width for every query, from Ĝ as (5) prints it or without its own noise."""
        if diagonal == "printed":
            return mixture_weights(gram, cross)
        return unbiased_weights(without_own_noise(gram, self.sizes), cross, self.embeddings)

    def readers(self, gram: Array, diagonal: str) -> Array:
        """B = P̂ᵀA at every width, (widths, classes, bags), where α̂ = A·â."""
        one = np.broadcast_to(np.eye(len(self.sizes)), gram.shape)
        return np.asarray(self.carried(diagonal).T @ self.weights(gram, one, diagonal).swapaxes(1, 2))

    def solver(self, gram: Array, diagonal: str, least: float = 0.0) -> Solver:
        """What gives `weights` at one width, whatever is asked: Ĝ, or what stands for it, decomposed once."""
        if diagonal == "printed":
            return Solver.of(gram, None, least)
        clean = without_own_noise(gram, self.sizes)
        return Solver.of(self.embeddings @ clean @ self.embeddings.T, self.embeddings, least)


def sets_of(proportions: Array, sizes: Array, noise: float | Array = 0.0) -> MixedSets:
    """Bags with these proportions and sizes; `noise` is the standard deviation of what veils a share of each."""
    embeddings, meant = class_embeddings(proportions, sizes, noise), meant_shares(proportions, sizes, noise)
    return MixedSets(proportions, sizes, embeddings, meant)


def expected_risks(sets: MixedSets, gram: Array, moments: Array, shares: Array, held: Array) -> dict[str, Array]:
    """What each diagonal is expected to cost at every width; the unbiased one needs a positive definite matrix.

    `moments` are those of points that the bags' means do not hold, in sets with `shares` and of sizes `held`.
    """
    clean = without_own_noise(gram, sets.sizes)
    definite = is_definite(clean, sets.embeddings)
    found = {}
    for diagonal in ("printed", "unbiased"):
        reader = sets.readers(gram, diagonal)
        within = class_variances(reader, clean, moments, sets.embeddings, shares, held)
        risk = expected_risk(reader, clean, within, sets.embeddings, sets.proportions, sets.sizes)
        found[diagonal] = np.where(definite, risk, np.inf) if diagonal == "unbiased" else risk
    return found


class Choice(NamedTuple):
    """A diagonal, the number of a width, and what they were chosen by."""

    diagonal: str
    width: int
    risks: dict[str, Array]
    gram: Array  #: ⟨Φ̂_i, Φ̂_j⟩ of the bags, at every width
    errors: Array | None  #: on the held-out sets, at every width


def choose_by_risk(
    bags: Sequence[Array], held_out: Sequence[Array], widths: Array, sets: MixedSets, truth: Array | None
) -> Choice:
    """Diagonal and width by the risk that points outside the bags' means foretell; `truth` is of the held-out sets."""
    gram, errors = mmd_gram(bags, widths)[0], None
    held_sizes = np.array([points.shape[0] for points in held_out])
    starts = np.cumsum([0, *held_sizes])
    # What the bags share with each held-out point serves for the means of their sets, and for second moments.
    similarities = None if truth is None else mean_similarities(bags, stack_points(held_out), widths)
    if similarities is not None and truth is not None and tell_apart(truth):
        moments, shares, sizes = second_moments(similarities, starts), truth, held_sizes
    else:
        moments, shares, sizes = own_moments(bags, widths), sets.proportions, sets.sizes
    risks = expected_risks(sets, gram, moments, shares, sizes)
    best = {name: int(np.argmin(risk)) for name, risk in risks.items()}
    if similarities is not None and truth is not None:  # the printed form has a width of its own, by errors on sets
        cross = np.asarray(np.add.reduceat(similarities, starts[:-1], axis=2) / held_sizes)
        errors = l1_errors(sets.weights(gram, cross, "printed"), sets.proportions, truth)
        best["printed"] = int(np.argmin(errors))
    diagonal = min(best, key=lambda name: float(risks[name][best[name]]))
    return Choice(diagonal, best[diagonal], risks, gram, errors)


def own_moments(bags: Sequence[Array], widths: Array) -> Array:
    """Second moments of the bags' own points at some widths, each without its product with itself."""
    starts = np.cumsum([0, *(points.shape[0] for points in bags)])
    return second_moments(leave_own_out(mean_similarities(bags, stack_points(bags), widths), starts), starts)
