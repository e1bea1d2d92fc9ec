"""The mean operator with exact noise on whole numbers: fit for real releases (see `unveil.mechanisms.exact_sums`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.base import ExactMechanism, describe_randomness
from unveil.mechanisms.batches import Data
from unveil.mechanisms.checks import check_features, check_signs, check_steps
from unveil.mechanisms.entropy import RandomBytes
from unveil.mechanisms.exact_sampling import as_level, geometric_variance, level_below, two_sided_geometric
from unveil.mechanisms.mean_operator import OperatorMechanism
from unveil.mechanisms.operator_tally import OperatorTally, largest
from unveil.protocols.base import Release
from unveil.types import Floats, require_moderate


@dataclass(frozen=True)
class GeometricMeanOperator(ExactMechanism, OperatorMechanism):
    """The mean operator of private labels with exact noise: `MeanOperatorRelease` for real releases.

    The features are public, and with them who is there: neighbours differ in one label, never in a record. Features are
    rounded to whole multiples of a grid of `steps` steps up to the largest entry, and the sum over the records with
    label +1 gets noise for the largest 1-norm of a rounded record. From that sum, and from the public sum over all
    records, follows the mean operator of the rounded features.

    Parameters
    ----------
    epsilon : float
        The level of one label, from 2⁻²⁰ to 20.
    steps : int
        How fine the grid is. Rounding moves an entry of the mean operator by at most 1/(2·steps) of the largest entry.
    testing : bool, default False
        Whether a numpy generator, whose noise can be drawn again, is taken for its randomness.

    Attributes
    ----------
    noise : str
        "geometric": what a release file calls this noise.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import GeometricMeanOperator, mean_operator
    >>> X = np.tile([[0.6, 0.8], [1.0, 0.0], [0.0, 1.0], [0.8, -0.6]], (50, 1))
    >>> y = np.tile([1, 1, -1, 1], 50)
    >>> mean_operator(X, y)
    array([ 0.6, -0.2])
    >>> GeometricMeanOperator(1.0, testing=True).release(X, y, default_rng(0)).round(3)
    array([ 0.601, -0.217])

    See Also
    --------
    Release : what `publish` returns, and its file.
    MeanOperatorClassifier : learns from it.
    SecureGenerator : what a real release takes in the place of `default_rng(0)`.
    """

    noise: ClassVar[str] = "geometric"

    epsilon: float
    steps: int = 1 << 10

    def _check_parameters(self) -> None:
        check_steps(self.steps)

    def tight_epsilon(self, X: ArrayLike) -> float:
        """The exact level at these features: `epsilon` rounded down, or zero where all features are."""
        return as_level(level_below(self.epsilon)) if np.any(check_features(X)) else 0.0

    def scale_at(self, X: ArrayLike) -> float:
        """The scale of the noise on each entry of the released mean operator."""
        tally = self._tally_whole(X, np.ones(len(np.asarray(X))))
        return 2 * max(tally.widest, 1) / float(level_below(self.epsilon)) * tally.top / self.steps / tally.rows

    def release(self, X: ArrayLike, y: ArrayLike, rng: RandomBytes) -> Floats:
        """The noisy mean operator (d,) of rounded features, as `MeanOperatorRelease.release` has it."""
        return np.asarray(self.release_many(X, y, 1, rng)[0])

    def _publish(self, data: Data, source: RandomBytes, intercept: bool, classes: tuple[Any, Any]) -> Release:
        """On the grid of the first million numbers or so that are not all zero."""
        return self.publish_tally(self.tally(data, intercept, classes), source)

    def tally(
        self, data: Data, intercept: bool = False, classes: Sequence[Any] = (-1, 1), top: float | None = None
    ) -> OperatorTally:
        """What `publish` keeps of the records, without noise: as private as they are. It has `merge`, for shards.

        `top` is the size of an entry that `steps` steps reach; tallies that are to be merged need the same. The other
        arguments are those of `publish`.
        """
        return OperatorTally(self.steps, intercept, classes, top).take(data)

    def publish_tally(self, tally: OperatorTally, rng: RandomBytes | None = None) -> Release:
        """Noise on the sums of all records, once: the release that `publish` makes."""
        source, level = self._source(rng), level_below(self.epsilon)
        require(tally.steps == self.steps, f"tally must have the steps of the mechanism, {self.steps}")
        require(tally.rows > 0, "X must have at least one row")
        chosen, total, widest, units = tally.whole()
        sensitivity = max(widest, 1)
        noisy = chosen + two_sided_geometric((len(total),), level, sensitivity, source)
        variance = 4 * geometric_variance(level, sensitivity) * units**2
        return Release(
            protocol="mean-operator",
            mechanism=type(self).__name__,
            parameters={"epsilon": self.epsilon, "steps": self.steps, "noise": self.noise, **tally.parameters},
            # From the noisy sum over the second label, and the public one over all records, follows Σ yᵢxᵢ.
            arrays={"sum": (2 * noisy - total) * units, "variance": variance},
            records=tally.rows,
            claimed_epsilon=self.claimed_epsilon,
            exact_epsilon=as_level(level) if widest > 0 else 0.0,
            randomness=describe_randomness(source),
            rows=tally.seen.text,
        )

    def release_many(self, X: ArrayLike, y: ArrayLike, n: int, rng: RandomBytes) -> Floats:
        """`n` independent releases, one a row, for audits: together they cost n times the level."""
        source, tally = self._source(rng), self._tally_whole(X, y)
        chosen, total, widest, units = tally.whole()
        noise = two_sided_geometric((n, len(total)), level_below(self.epsilon), max(widest, 1), source)
        return np.asarray((2 * (chosen + noise) - total) * (units / tally.rows))

    def _tally_whole(self, X: ArrayLike, y: ArrayLike) -> OperatorTally:
        """Of records that are all there, on the grid up to their largest entry."""
        features = check_features(X)
        require_moderate(features, "X")
        return self.tally((features, check_signs(y, len(features))), top=largest(features) or None)
