"""What a mechanism publishes and an estimator is fitted to: the arrays that leave the owner, and what they promise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from unveil.errors import require
from unveil.types import Array


@dataclass(frozen=True)
class Release:
    """What leaves an owner, with all that fitting needs.

    `publish` of a mechanism makes it and `fit` of an estimator of the same protocol takes it.

    Parameters
    ----------
    protocol : str
        What was released: "products" or "tags".
    mechanism : str
        The name of the mechanism.
    parameters : mapping
        What is public about the veil: keep probabilities, the scale of the noise, names.
    arrays : mapping of str to ndarray
        What was released.
    records : int
        Of how many records.
    claimed_epsilon, claimed_delta : float
        The level that the mechanism's authors promise; ε is infinite where nothing is promised.
    exact_epsilon, exact_delta : float
        The level that holds.
    scope : str
        For which data the exact level holds: "supremum" (all) or "here".
    randomness : str
        Where the noise came from: "os", or "seeded" for simulations.

    Examples
    --------
    >>> from numpy.random import default_rng
    >>> from unveil import CoordinateRelease
    >>> X = default_rng(0).random((1000, 2))
    >>> release = CoordinateRelease(4.0).publish((X, X[:, 0]), default_rng(1))
    >>> release.protocol, release.records, release.exact_epsilon, release.randomness
    ('products', 1000, 2.0, 'seeded')

    See Also
    --------
    MomentRegression, CountTagger
    """

    protocol: str
    mechanism: str
    parameters: Mapping[str, Any]
    arrays: Mapping[str, Array] = field(repr=False)
    records: int
    claimed_epsilon: float = inf
    claimed_delta: float = 0.0
    exact_epsilon: float = inf
    exact_delta: float = 0.0
    scope: str = "supremum"
    randomness: str = "seeded"

    def require_protocol(self, protocol: str, estimator: str) -> None:
        """Raise unless an estimator of this protocol can be fitted to it."""
        require(
            self.protocol == protocol,
            f"release must be of the protocol {protocol!r} for {estimator}, not {self.protocol!r}",
        )
