"""The mean operator and its noisy release (Patrini et al. 2016, definition 1 and algorithm 2).

The features are public; only labels are private. Flipping one label moves the mean operator by (2/m)·x, so the exact
privacy loss of a release is known in closed form once the features are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.fingerprints import Fingerprint
from unveil.mechanisms.base import Mechanism
from unveil.mechanisms.batches import Data, cut_batches
from unveil.mechanisms.checks import (
    check_alpha,
    check_classes,
    check_features,
    check_intercept,
    check_signs,
    find_positives,
)
from unveil.protocols.base import Budget, Release
from unveil.types import Floats, as_numbers, require_moderate

NOISES = ("printed", "laplace", "gamma")

#: How far a norm may exceed its declared bound: features that were normalised in single precision do so by about 1e-7.
ROUNDING = 1e-6


def mean_operator(X: ArrayLike, y: ArrayLike) -> Floats:
    """μ = (1/m)·Σ yᵢxᵢ, exactly (Patrini et al. 2016, definition 1): no privacy at all.

    Parameters
    ----------
    X : array of shape (m, d)
        The features.
    y : array of shape (m,)
        The labels, −1 or +1.

    Returns
    -------
    array of shape (d,)
        μ, all that a linear-odd loss needs to know of the labels.

    Examples
    --------
    >>> from unveil import mean_operator
    >>> mean_operator([[1.0, 0.0], [0.0, 1.0]], [1, -1])
    array([ 0.5, -0.5])
    """
    features = check_features(X)
    return np.asarray(check_signs(y, len(features)) @ features / len(features))


def radial_noise(rate: float, shape: tuple[int, ...], rng: Generator) -> Floats:
    """Vectors along the last axis with density ∝ exp(−rate·‖b‖₂): a gamma length in a uniform direction."""
    directions = rng.standard_normal(shape)
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    return np.asarray(directions * rng.gamma(shape[-1], 1 / rate, size=(*shape[:-1], 1)))


class OperatorMechanism(Mechanism, ABC):
    """A mechanism that hides any one label in a noisy mean operator."""

    def publish(
        self,
        data: Data,
        rng: Any = None,
        intercept: bool = False,
        classes: Sequence[Any] = (-1, 1),
        *,
        ledger: Budget | None = None,
        records: str = "",
    ) -> Release:
        """The noisy sum of all yᵢxᵢ, as a release of the protocol "mean-operator".

        Parameters
        ----------
        data : (X, y), or an iterable of such pairs
            The public features and the private labels.
        rng, ledger, records
            As `unveil.mechanisms.base.Mechanism` says.
        intercept : bool
            Whether a constant one is a feature, too, which counts in the norms.
        classes : pair
            What the negative and the positive label are called, whether or not the data hold both.

        Returns
        -------
        Release
            Rows that are fitted to must be those of the data, in the same order.
        """
        # Before the data are read: a source that will not do is told at once.
        source, own = self._source(rng), check_intercept(intercept)
        return self._publish(data, source, own, check_classes(classes)).charge(ledger, records)

    @abstractmethod
    def _publish(self, data: Data, source: Any, intercept: bool, classes: tuple[Any, Any]) -> Release:
        """The same, with its arguments checked and noted nowhere."""


@dataclass(frozen=True)
class MeanOperatorRelease(OperatorMechanism):
    """The mean operator plus noise that hides any one label (Patrini et al. 2016, algorithm 2).

    For simulation only.

    Parameters
    ----------
    alpha : float
        The privacy level that is claimed, for one label.
    noise : {"printed", "laplace", "gamma"}
        ``printed``: Laplace noise of scale 2·bound/(mα) on each entry, as algorithm 2 has it. It keeps the promise
        where ‖x‖₁ ≤ bound; over the 2-norm ball, which section 4.1 has, the level reaches α√d.
        ``laplace``: the same with the right scale, 2·max‖x‖₁/(mα).
        ``gamma``: a vector with density ∝ exp(−mα‖b‖₂/(2·bound)).
    bound : float
        The declared bound on ‖x‖₂.
    l1_bound : float, optional
        The declared bound on ‖x‖₁ for ``laplace``; √d·bound, which always holds, if left out.

    Notes
    -----
    The guarantee is that of real-valued noise. Doubles have gaps, through which an adversary who sees all their bits
    can look; that is outside the paper and outside this class.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import MeanOperatorRelease, mean_operator
    >>> X = np.tile([[0.6, 0.8], [1.0, 0.0], [0.0, 1.0], [0.8, -0.6]], (50, 1))
    >>> y = np.tile([1, 1, -1, 1], 50)
    >>> mean_operator(X, y)
    array([ 0.6, -0.2])
    >>> veil = MeanOperatorRelease(1.0, noise="gamma")
    >>> veil.release(X, y, default_rng(0)).round(3)
    array([ 0.618, -0.219])

    The printed noise promises more than it keeps:

    >>> [round(MeanOperatorRelease(1.0, noise).tight_epsilon(X), 2) for noise in ("printed", "laplace", "gamma")]
    [1.4, 0.99, 1.0]

    See Also
    --------
    GeometricMeanOperator : for real releases.
    MeanOperatorClassifier : learns from the release.
    """

    alpha: float
    noise: str = "printed"
    bound: float = 1.0
    l1_bound: float | None = None

    def _check_parameters(self) -> None:
        for name in ("alpha", "bound"):
            check_alpha(getattr(self, name), name)
        require(self.noise in NOISES, f"noise must be one of {', '.join(NOISES)}, got {self.noise!r}")
        if self.l1_bound is not None:
            check_alpha(self.l1_bound, "l1_bound")

    def scale(self, m: int, d: int) -> float:
        """The noise's scale: of each entry (Laplace), or of the vector's length (gamma)."""
        if self.noise == "laplace":
            return 2 * self._l1(d) / (m * self.alpha)
        return 2 * self.bound / (m * self.alpha)

    def release(self, X: ArrayLike, y: ArrayLike, rng: Generator) -> Floats:
        """μ plus noise (d,), of public features (m, d) within the declared bounds and private labels (m,), −1 or +1."""
        features = self.within_bounds(X)
        return self.perturb(mean_operator(features, y), len(features), rng)

    @property
    def norm_order(self) -> int:
        """Which norm of a record the level depends on."""
        return 2 if self.noise == "gamma" else 1

    def entry_variance(self, m: int, d: int) -> float:
        """The variance of the noise on an entry of a mean of m records."""
        # A gamma length has the second moment d(d + 1)·scale², shared by d entries.
        return (d + 1 if self.noise == "gamma" else 2) * self.scale(m, d) ** 2

    def _publish(self, data: Data, source: Any, intercept: bool, classes: tuple[Any, Any]) -> Release:
        total: Floats = np.zeros(0)
        widest, seen = 0.0, Fingerprint()
        for X, y in cut_batches(data):
            labels, features = 2 * find_positives(y, classes).astype(float) - 1, as_numbers(X, "X")
            # What no learner could compute with would be paid for all the same.
            require_moderate(features, "X")
            design = np.hstack([features, np.ones((len(features), 1))]) if intercept else features
            inside = self.within_bounds(design, seen.rows)
            widest = max(widest, float(np.linalg.norm(inside, ord=self.norm_order, axis=1).max()))
            total = labels @ inside + (total if seen.rows else 0.0)
            seen.add(features)
        m, d = seen.rows, len(total)
        require(m > 0, "X must have at least one row")
        noisy, variance = m * self.perturb(total / m, m, source), m**2 * self.entry_variance(m, d)
        return Release(
            protocol="mean-operator",
            mechanism=type(self).__name__,
            parameters={**asdict(self), "dimension": d, "intercept": intercept, "classes": list(classes)},
            arrays={"sum": noisy, "variance": np.full(d, variance)},
            records=m,
            claimed_epsilon=self.claimed_epsilon,
            exact_epsilon=2 / m * widest / self.scale(m, d),
            rows=seen.text,
        )

    def perturb(self, mu: Floats, m: int, rng: Generator) -> Floats:
        """Fresh noise on exact mean operators of m records (along the last axis)."""
        scale = self.scale(m, mu.shape[-1])
        if self.noise == "gamma":
            return mu + radial_noise(1 / scale, mu.shape, rng)
        return mu + rng.laplace(0.0, scale, size=mu.shape)

    def tight_epsilon(self, X: ArrayLike) -> float:
        """The exact level at these public features: the largest log-ratio of densities over all outputs and flips.

        Laplace densities differ by at most ‖Δ‖₁/scale, radial ones by ‖Δ‖₂/scale, with Δ = 2x/m, and both are attained.
        """
        features = self.within_bounds(X)
        m, d = features.shape
        shift = 2 / m * float(np.max(np.linalg.norm(features, ord=self.norm_order, axis=1)))
        return float(shift / self.scale(m, d))

    def worst_epsilon(self, d: int) -> float:
        """The exact level over all features in d dimensions that the declared bounds allow."""
        require(d >= 1, f"d must be at least 1, got {d}")
        if self.noise == "gamma":
            return self.alpha
        widest = min(sqrt(d) * self.bound, inf if self.l1_bound is None else self.l1_bound)
        return self.alpha * widest / (self._l1(d) if self.noise == "laplace" else self.bound)

    def _l1(self, d: int) -> float:
        return sqrt(d) * self.bound if self.l1_bound is None else self.l1_bound

    def within_bounds(self, X: ArrayLike, first: int = 0) -> Floats:
        """X as a matrix whose rows keep the declared bounds; the first of them is called row `first` in errors."""
        features = check_features(X)
        _require_norm(features, 2, self.bound, "bound", first)
        if self.l1_bound is not None:
            _require_norm(features, 1, self.l1_bound, "l1_bound", first)
        return features


def _require_norm(features: Floats, order: int, bound: float, name: str, first: int) -> None:
    with np.errstate(over="ignore"):  # an infinite norm exceeds every bound
        norms: Any = np.linalg.norm(features, ord=order, axis=1)
    row = int(np.argmax(norms))
    require(
        norms[row] <= bound * (1 + ROUNDING),
        f"X must have rows with ‖x‖{'₁₂'[order - 1]} ≤ {name} = {bound:g}: row {first + row} has {norms[row]:.6g}",
    )
