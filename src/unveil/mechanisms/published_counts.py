"""How mechanisms on class counts publish: proportions of sets, the sets' public sizes, and how large the noise is.

What is said of the noise follows from public parameters and from the released proportions alone, so it costs nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.base import Mechanism, describe_randomness
from unveil.mechanisms.checks import check_counts, check_names, check_sets
from unveil.mechanisms.entropy import RandomBytes
from unveil.numerics.simplex import project_to_simplex
from unveil.protocols.base import Budget, Release
from unveil.types import Array, as_array, as_whole


class Promises(NamedTuple):
    """The level that is claimed, and the one that holds for all data of these sizes."""

    claimed_epsilon: float
    claimed_delta: float
    exact_epsilon: float
    exact_delta: float


class PublishedCounts(Mechanism, ABC):
    """A mechanism that turns the class counts of sets into proportions; one label is in one set only."""

    #: The δ that holds at ε, whatever the counts.
    _exact_delta: float = 0.0

    @abstractmethod
    def release(self, counts: ArrayLike, rng: Any) -> Array:
        """Proportions, ≥ 0 with sum one, of the private counts of one set, (classes,), or of one set a row."""

    def promises(self, sizes: Array) -> Promises:  # noqa: ARG002 - the same for all sets
        """What holds for one label of sets of these sizes, whatever their counts."""
        return Promises(self.claimed_epsilon, vars(self).get("delta", 0.0), self.claimed_epsilon, self._exact_delta)

    def true_delta(self, counts: ArrayLike) -> float:
        """The exact δ at ε for these counts: that of the noise."""
        check_counts(counts)
        return self._exact_delta

    @abstractmethod
    def noise_of(self, proportions: Array, sizes: Array) -> Array:
        """The standard deviation of a proportion's noise in each set, over its classes, as far as these tell."""

    def publish(
        self,
        data: ArrayLike | Iterable[ArrayLike],
        rng: RandomBytes | Generator | None = None,
        classes: Sequence[Any] | None = None,
        *,
        ledger: Budget | None = None,
        records: str = "",
    ) -> Release:
        """Proportions of sets, as a release of the protocol "ratios".

        Parameters
        ----------
        data : array of shape (sets, classes), or an iterable of such arrays
            The private class counts, one set a row; the sum of a row is public.
        rng, ledger, records
            As `unveil.mechanisms.base.Mechanism` says.
        classes : sequence, optional
            What the classes are called, in the order of the columns; by default they are numbered from 0.

        Returns
        -------
        Release
            `proportions` and `sizes` of the sets, and the standard deviation of the `noise` of each.
        """
        bounded = getattr(self, "neighbours", "bounded") == "bounded"
        require(bounded, "neighbours must be 'bounded' to publish: a release says how large the sets are")
        source, counts = self._source(rng), join_counts(data)
        number = counts.shape[1]
        names = list(range(number))
        if classes is not None:
            names = check_names(classes, number, f"classes must be {number} different names")
        sizes = counts.sum(axis=1)
        promises = self.promises(sizes)
        proportions = self.release(counts, source)
        public: dict[str, Any] = asdict(self)  # type: ignore[call-overload]
        public.pop("testing", None)
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
            randomness=describe_randomness(source),
            **promises._asdict(),
        ).charge(ledger, records)


def join_counts(data: ArrayLike | Iterable[ArrayLike]) -> Array:
    """Counts, one set a row, from a table or from tables that come one after the other."""
    tables: list[Any] = [data]
    if not isinstance(data, np.ndarray) and not hasattr(data, "__array__") and isinstance(data, Iterable):
        tables = list(data)
        if not tables or as_array(tables[0], "counts").ndim < 2:
            tables = [tables]
    rows = [check_counts(table, dimensions=2) for table in tables if as_array(table, "counts").size]
    require(len(rows) > 0, "counts must hold at least one set")
    require(len({table.shape[1] for table in rows}) == 1, "counts must hold as many classes in every batch")
    return np.concatenate(rows)


class NoisyCounts(PublishedCounts):
    """Independent noise on every count, and then the nearest counts that are ≥ 0 and have the right sum."""

    neighbours: str = "bounded"

    @property
    @abstractmethod
    def deviation(self) -> float:
        """The standard deviation of the noise on a count."""

    @abstractmethod
    def noisy_counts(self, counts: ArrayLike, rng: Any) -> Array:
        """Counts of one set, or of one set a row, plus noise: some of them negative, and whole where noise is exact."""

    def release(self, counts: ArrayLike, rng: Any) -> Array:
        """Noisy counts, made consistent by constrained least squares: proportions, of one set or of one set a row."""
        noisy = self.noisy_counts(counts, rng)
        # The total of the data is used only where it is public.
        private = self.neighbours == "unbounded"
        totals = np.maximum(noisy.sum(axis=-1), 1) if private else check_sets(counts).sum(axis=-1)
        return np.asarray(project_to_simplex(noisy, totals) / np.asarray(totals)[..., None])

    def noise_of(self, proportions: Array, sizes: Array) -> Array:
        """That of consistent counts: what their sum must be takes a part of it away."""
        return np.asarray(self.deviation * sqrt(1 - 1 / proportions.shape[1]) / sizes)


def share_variance(proportions: Array) -> Array:
    """p(1 − p) in the mean over the classes of each set: the variance of one draw."""
    return np.asarray((proportions * (1 - proportions)).mean(axis=1))
