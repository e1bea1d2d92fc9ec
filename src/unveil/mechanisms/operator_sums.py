"""Releases of mean operators from records that come in batches: sums are kept, the records are not.

The sum Σ yᵢxᵢ is released instead of the mean, since sums of different records add, and so do the variances of their
noise. Noise is drawn once, after the last batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.fingerprints import Fingerprint
from unveil.mechanisms.batches import Data, batches
from unveil.mechanisms.entropy import RandomBytes
from unveil.mechanisms.exact_sampling import as_level, geometric_variance, two_sided_geometric
from unveil.mechanisms.operator_tally import OperatorTally
from unveil.mechanisms.publishing import checked_classes, positives, randomness_of
from unveil.protocols.base import Release
from unveil.types import Floats, as_numbers, require_moderate


class FloatNoise(Protocol):
    """What `MeanOperatorRelease` offers."""

    @property
    def claimed_epsilon(self) -> float:
        """The level that is claimed."""
        ...

    @property
    def norm_order(self) -> int:
        """1 or 2: which norm of a record counts."""
        ...

    def within_bounds(self, X: ArrayLike, first: int = 0) -> Floats:
        """X, if its rows keep the declared bounds."""
        ...

    def scale(self, m: int, d: int) -> float:
        """The noise's scale for a mean of m records."""
        ...

    def entry_variance(self, m: int, d: int) -> float:
        """The variance of an entry's noise."""
        ...

    def perturb(self, mu: Floats, m: int, rng: Generator) -> Floats:
        """Fresh noise on a mean of m records."""
        ...


class _Batch(NamedTuple):
    """Features, with the constant last where one is wanted; which labels are positive; rows that came before."""

    features: Floats
    positive: Floats
    before: int


@dataclass
class _Records:
    """Batches of records, and what must be known of those that were read."""

    data: Data
    intercept: bool
    classes: tuple[Any, Any]
    rows: int = 0
    seen: Fingerprint = field(default_factory=Fingerprint)

    def __iter__(self) -> Iterator[_Batch]:
        for X, y in batches(self.data):
            positive = positives(y, self.classes).astype(float)
            features = as_numbers(X, "X")
            # What no learner could compute with would be paid for all the same.
            require_moderate(features, "X")
            self.seen.add(features)
            before, self.rows = self.rows, self.rows + len(features)
            ones = np.ones((len(features), 1))
            yield _Batch(np.hstack([features, ones]) if self.intercept else features, positive, before)
        require(self.rows > 0, "X must have at least one row")

    def release(self, total: Floats, variance: Floats, parameters: dict[str, Any], **promises: Any) -> Release:
        """The release of these records."""
        public = {"dimension": len(total), "intercept": self.intercept, "classes": list(self.classes)}
        return Release(
            protocol="mean-operator",
            parameters={**parameters, **public},
            arrays={"sum": total, "variance": variance},
            records=self.rows,
            rows=self.seen.text,
            **promises,
        )


def records_of(data: Data, intercept: bool, classes: Sequence[Any]) -> _Records:
    """Data as they were given to `publish`, with its other arguments checked."""
    require(isinstance(intercept, bool | np.bool_), "intercept must be True or False")
    return _Records(data, bool(intercept), checked_classes(classes))


def publish_simulated(mechanism: FloatNoise, parameters: dict[str, Any], records: _Records, rng: Generator) -> Release:
    """Floating-point noise on the mean, as algorithm 2 of Patrini et al. (2016) has it."""
    total, widest = np.zeros(0), 0.0
    for features, positive, before in records:
        inside = mechanism.within_bounds(features, before)
        widest = max(widest, float(np.linalg.norm(inside, ord=mechanism.norm_order, axis=1).max()))
        total = (2 * positive - 1) @ inside + (total if before else 0.0)
    m, d = records.rows, len(total)
    return records.release(
        m * mechanism.perturb(total / m, m, rng),
        np.full(d, m**2 * mechanism.entry_variance(m, d)),
        parameters,
        mechanism="MeanOperatorRelease",
        claimed_epsilon=mechanism.claimed_epsilon,
        exact_epsilon=2 / m * widest / mechanism.scale(m, d),
    )


def publish_exact(parameters: dict[str, Any], level: Fraction, tally: OperatorTally, source: RandomBytes) -> Release:
    """Two-sided geometric noise on the sum of the whole records with the second label.

    From that sum, and from the public sum over all records, follows Σ yᵢxᵢ of the rounded features.
    """
    require(tally.rows > 0, "X must have at least one row")
    chosen, total, widest, units = tally.whole()
    sensitivity = max(widest, 1)
    noisy = chosen + two_sided_geometric((len(total),), level, sensitivity, source)
    public = {"dimension": len(total), "intercept": tally.intercept, "classes": list(tally.classes)}
    variance = 4 * geometric_variance(level, sensitivity) * units**2
    return Release(
        protocol="mean-operator",
        mechanism="GeometricMeanOperator",
        parameters={**parameters, **public},
        arrays={"sum": (2 * noisy - total) * units, "variance": variance},
        records=tally.rows,
        claimed_epsilon=parameters["alpha"],
        exact_epsilon=as_level(level) if widest > 0 else 0.0,
        randomness=randomness_of(source),
        rows=tally.seen.text,
    )
