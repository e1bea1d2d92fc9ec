"""One mechanism with its parameters, what is claimed of it, what is true, and how to audit it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from unveil.privacy.audit import LogRatio, Sampler
from unveil.types import Array

Scope = Literal["supremum", "here"]
#: Releases that are drawn at once where inputs are wide.
BLOCK = 10_000


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
        The release, and a pair of neighbours: of largest loss where one can be named.
    log_ratio
        The likelihood ratio of the pair, where it is simple; otherwise the audit learns one.
    scope
        Whether `exact` is the supremum over data sets, or what is lost at the data set that the parameters name.
    most
        How many releases an audit may draw, where one release takes much memory.
    """

    paper: str
    mechanism: str
    parameters: Mapping[str, object]
    claimed: tuple[float, float]
    exact: tuple[float, float]
    release: Sampler
    here: Any
    there: Any
    log_ratio: LogRatio | None = None
    scope: Scope = "supremum"
    most: int | None = None

    @property
    def shown_parameters(self) -> str:
        """The parameters as they stand in the table."""
        return "; ".join(f"{name} = {value}" for name, value in self.parameters.items())


def tile_input(values: Any, n: int) -> Array:
    """The same input n times, along a new first axis."""
    array = np.asarray(values)
    return np.ascontiguousarray(np.broadcast_to(array, (n, *array.shape)))


def row_by_row(release: Callable[..., Any], *given: Any) -> Sampler:
    """A release for the audit, of one that releases each row of its input on its own, and is `given` the rest."""
    return lambda values, n, rng: np.asarray(release(tile_input(values, n), *given, rng))


def in_blocks(release: Sampler) -> Sampler:
    """The same release, `BLOCK` at a time: wide inputs need not be repeated n times at once."""

    def blocks(values: Any, n: int, rng: Generator) -> Array:
        sizes = [min(BLOCK, n - start) for start in range(0, n, BLOCK)]
        return np.concatenate([np.asarray(release(values, each, rng)) for each in sizes])

    return blocks


def pure(epsilon: float) -> tuple[float, float]:
    """A pure guarantee."""
    return epsilon, 0.0
