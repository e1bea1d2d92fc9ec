"""How mechanisms on class counts publish: proportions of sets, the sets' public sizes, and how large the noise is.

What is said of the noise follows from public parameters and from the released proportions alone, so it costs nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from math import sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.checks import checked_counts
from unveil.mechanisms.entropy import RandomBytes, SecureGenerator
from unveil.mechanisms.publishing import randomness_of, simulated
from unveil.protocols.base import Release
from unveil.types import Array, as_array, as_whole


class Promises(NamedTuple):
    """The level that is claimed, and the one that holds for all data of these sizes."""

    claimed_epsilon: float
    claimed_delta: float
    exact_epsilon: float
    exact_delta: float


class PublishedCounts(ABC):
    """A mechanism that turns the class counts of sets into proportions; one label is in one set only."""

    fit_for_release: ClassVar[bool]

    @abstractmethod
    def release(self, counts: ArrayLike, rng: Any) -> Array:
        """The published proportions of a set, or of one set a row."""

    @abstractmethod
    def promises(self, sizes: Array) -> Promises:
        """What holds for one label of sets of these sizes, whatever their counts."""

    @abstractmethod
    def noise_of(self, proportions: Array, sizes: Array) -> Array:
        """The standard deviation of a proportion's noise in each set, over its classes, as far as these tell."""

    def publish(
        self,
        data: ArrayLike | Iterable[ArrayLike],
        rng: RandomBytes | Generator | None = None,
        classes: Sequence[Any] | None = None,
    ) -> Release:
        """Proportions of sets, as a release of the protocol "ratios".

        Parameters
        ----------
        data : array of shape (sets, classes), or an iterable of such arrays
            The private class counts, one set a row; the sum of a row is public.
        rng : SecureGenerator or numpy.random.Generator, optional
            The source of the noise, by default the operating system; floating-point noise needs a numpy generator.
        classes : sequence, optional
            What the classes are called, in the order of the columns; by default they are numbered from 0.

        Returns
        -------
        Release
            `proportions` and `sizes` of the sets, and the standard deviation of the `noise` of each.
        """
        bounded = getattr(self, "neighbours", "bounded") == "bounded"
        require(bounded, "neighbours must be 'bounded' to publish: a release says how large the sets are")
        source = self._source(rng)
        counts = all_counts(data)
        names = checked_names(classes, counts.shape[1])
        sizes = counts.sum(axis=1)
        promises = self.promises(sizes)
        proportions = self.release(counts, source)
        require(is_dataclass(self), "a mechanism must be a dataclass")
        public = {name: value for name, value in asdict(self).items() if name != "testing"}  # type: ignore[call-overload]
        return Release(
            protocol="ratios",
            mechanism=type(self).__name__,
            parameters={**public, "classes": names},
            arrays={
                "proportions": proportions,
                "sizes": as_whole(sizes, "counts"),
                "noise": self.noise_of(proportions, sizes),
            },
            records=int(sizes.sum()),
            randomness=randomness_of(source),
            **promises._asdict(),
        )

    def _source(self, rng: RandomBytes | Generator | None) -> RandomBytes:
        if not self.fit_for_release:
            return simulated(rng, type(self).__name__)
        return SecureGenerator() if rng is None else rng


def all_counts(data: ArrayLike | Iterable[ArrayLike]) -> Array:
    """Counts, one set a row, from a table or from tables that come one after the other."""
    tables: list[Any] = [data]
    if not isinstance(data, np.ndarray) and not hasattr(data, "__array__") and isinstance(data, Iterable):
        tables = list(data)
        if not tables or as_array(tables[0], "counts").ndim < 2:
            tables = [tables]
    rows = [checked_counts(table, dimensions=2) for table in tables if as_array(table, "counts").size]
    require(len(rows) > 0, "counts must hold at least one set")
    require(len({table.shape[1] for table in rows}) == 1, "counts must hold as many classes in every batch")
    return np.concatenate(rows)


def checked_names(classes: Sequence[Any] | None, number: int) -> list[Any]:
    """A name for every class, each another."""
    if classes is None:
        return list(range(number))
    listed = isinstance(classes, Sequence | np.ndarray) and not isinstance(classes, str | bytes)
    names = [name.item() if isinstance(name, np.generic) else name for name in classes] if listed else []
    plain = all(isinstance(name, str | int | float) for name in names)
    require(plain and len(set(names)) == len(names) == number, f"classes must be {number} different names")
    return names


def consistent_noise(deviation: float, proportions: Array, sizes: Array) -> Array:
    """Of independent noise on every count, once the counts were made to sum to what they must."""
    return deviation * sqrt(1 - 1 / proportions.shape[1]) / sizes


def share_variance(proportions: Array) -> Array:
    """p(1 − p) in the mean over the classes of each set: the variance of one draw."""
    return np.asarray((proportions * (1 - proportions)).mean(axis=1))
