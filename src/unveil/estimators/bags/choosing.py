"""Diagonal and bandwidth of kernel matching by the risk that the sets themselves foretell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.estimators.bags.inner_products import stack_points
from unveil.estimators.bags.mixtures import l1_errors
from unveil.estimators.bags.mmd_gram import mean_similarities, mmd_gram
from unveil.estimators.bags.precision import leave_own_out, second_moments
from unveil.estimators.bags.solving import MixedSets, expected_risks
from unveil.estimators.bags.unmixing import tell_apart
from unveil.types import Array


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
