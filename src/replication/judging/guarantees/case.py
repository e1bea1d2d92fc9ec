"""One mechanism with its parameters, what is claimed of it, what is true, and how to audit it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from unveil.privacy.audit import LogRatio, Release
from unveil.types import Array


@dataclass(frozen=True)
class Case:
    """One row of the table of guarantees.

    Attributes
    ----------
    claimed
        (ε, δ) as the paper claims it; where the paper is silent, what our class says of itself.
    exact
        The smallest ε at the claimed δ, and the smallest δ at the claimed ε: by enumeration, closed form or
        hockey-stick divergence.
    release, here, there
        The release, and the pair of neighbours at which its loss is largest.
    log_ratio
        The likelihood ratio of the pair, where it is simple; otherwise the audit learns one.
    """

    paper: str
    mechanism: str
    parameters: Mapping[str, object]
    claimed: tuple[float, float]
    exact: tuple[float, float]
    release: Release
    here: Any
    there: Any
    log_ratio: LogRatio | None = None


def tiled(values: Any, n: int) -> Array:
    """The same input n times, along a new first axis."""
    array = np.asarray(values)
    return np.ascontiguousarray(np.broadcast_to(array, (n, *array.shape)))


def row_by_row(mechanism: Any) -> Release:
    """A release for the audit, of a mechanism that releases each row of its input on its own."""

    def release(values: Any, n: int, rng: Generator) -> Array:
        released: Array = mechanism.release(tiled(values, n), rng)
        return released

    return release


def pure(epsilon: float) -> tuple[float, float]:
    """A pure guarantee."""
    return epsilon, 0.0
