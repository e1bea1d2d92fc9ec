"""Diagonal and bandwidth of kernel matching by the risk that the sets themselves foretell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from unveil.estimators.bags.inner_products import stack_points
from unveil.estimators.bags.mixtures import l1_errors
from unveil.estimators.bags.mmd_gram import mean_similarities, mmd_gram
from unveil.estimators.bags.precision import leave_own_out, second_moments
from unveil.estimators.bags.solving import MixedSets, expected_risks
from unveil.types import Array


class Seen:
    """What bags and held-out sets show at every width, whatever their proportions: each pair of points is met once."""

    def __init__(self, bags: Sequence[Array], held_out: Sequence[Array], widths: Array) -> None:
        self.bags, self.held_out, self.widths = bags, held_out, widths
        self.sizes, self.held_sizes = (np.array([points.shape[0] for points in s]) for s in (bags, held_out))

    @cached_property
    def gram(self) -> Array:
        """⟨Φ̂_i, Φ̂_j⟩ of the bags, (widths, bags, bags)."""
        return mmd_gram(self.bags, self.widths)[0]

    @cached_property
    def similarities(self) -> Array:
        """⟨Φ̂_i, Φ(x)⟩ of the bags and the held-out points, (widths, bags, points)."""
        return mean_similarities(self.bags, stack_points(self.held_out), self.widths)

    @cached_property
    def cross(self) -> Array:
        """⟨Φ̂_i, Φ̂_U⟩ of the bags and the held-out sets, (widths, bags, sets): means of the similarities."""
        starts = np.cumsum([0, *self.held_sizes[:-1]])
        return np.asarray(np.add.reduceat(self.similarities, starts, axis=2) / self.held_sizes)

    @cached_property
    def held_moments(self) -> Array:
        """Second moments of the held-out points, (widths, sets, bags, bags)."""
        return second_moments(self.similarities, np.cumsum([0, *self.held_sizes]))

    @cached_property
    def own_moments(self) -> Array:
        """Those of the bags' own points, each without its product with itself."""
        return own_moments(self.bags, self.widths)


class Choice(NamedTuple):
    """A diagonal, the number of a width, and what they were chosen by."""

    diagonal: str
    width: int
    risks: dict[str, Array]
    errors: Array | None  #: on the held-out sets, at every width


def choose_by_risk(seen: Seen, sets: MixedSets, truth: Array | None) -> Choice:
    """Diagonal and width by the risk that points outside the bags' means foretell; `truth` is of the held-out sets."""
    if truth is not None and np.linalg.matrix_rank(truth, tol=1e-9) == truth.shape[1]:
        moments, shares, sizes = seen.held_moments, truth, seen.held_sizes
    else:
        moments, shares, sizes = seen.own_moments, sets.proportions, sets.sizes
    risks, errors = expected_risks(sets, seen.gram, moments, shares, sizes), None
    best = {name: int(np.argmin(risk)) for name, risk in risks.items()}
    if truth is not None:  # the printed form has a width of its own, by its errors on whole sets
        errors = l1_errors(sets.weights(seen.gram, seen.cross, "printed"), sets.proportions, truth)
        best["printed"] = int(np.argmin(errors))
    diagonal = min(best, key=lambda name: float(risks[name][best[name]]))
    return Choice(diagonal, best[diagonal], risks, errors)


def own_moments(bags: Sequence[Array], widths: Array) -> Array:
    """Second moments of the bags' own points at some widths, each without its product with itself."""
    starts = np.cumsum([0, *(points.shape[0] for points in bags)])
    return second_moments(leave_own_out(mean_similarities(bags, stack_points(bags), widths), starts), starts)
