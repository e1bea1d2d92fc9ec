"""The mean operator and its noisy release (Patrini et al. 2016, definition 1 and algorithm 2).

The features are public; only labels are private. Flipping one label moves the mean operator by (2/m)·x, so the exact
privacy loss of a release is known in closed form once the features are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import inf, isfinite, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require, require_numbers
from unveil.mechanisms.batches import Data
from unveil.mechanisms.operator_sums import publish_simulated, records_of
from unveil.mechanisms.publishing import simulated
from unveil.protocols.base import Release
from unveil.types import Array, Floats, as_array, as_numbers

NOISES = ("printed", "laplace", "gamma")

#: How far a norm may exceed its declared bound: features that were normalised in single precision do so by about 1e-7.
ROUNDING = 1e-6


def checked_features(X: ArrayLike, name: str = "X") -> Floats:
    """X as a matrix of finite doubles."""
    features = as_numbers(X, name)
    require(features.ndim == 2, f"{name} must have two dimensions, got {features.ndim}")
    require(features.size > 0, f"{name} must have at least one row and one column")
    require(np.all(np.isfinite(features)), f"{name} must hold finite numbers: NaN or infinity found")
    return features


def checked_signs(y: ArrayLike, m: int) -> Floats:
    """Labels as ±1.0, one a record.

    One class only is no error here: whether a release happens must not depend on the labels.
    """
    signs: Array = as_array(y, "y")
    require(signs.shape == (m,), f"y must have shape ({m},), one label a row of X, got {signs.shape}")
    require(signs.dtype.kind in "iuf" and np.all(np.abs(signs) == 1), "y must hold the labels -1 and +1 only")
    return signs.astype(float)


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

    See Also
    --------
    MeanOperatorClassifier, MeanOperatorRelease, GeometricMeanOperator
    """
    features = checked_features(X)
    mu: Floats = checked_signs(y, len(features)) @ features / len(features)
    return mu


def radial_noise(rate: float, shape: tuple[int, ...], rng: Generator) -> Floats:
    """Vectors along the last axis with density ∝ exp(−rate·‖b‖₂): a gamma length in a uniform direction."""
    directions = rng.standard_normal(shape)
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    noise: Floats = directions * rng.gamma(shape[-1], 1 / rate, size=(*shape[:-1], 1))
    return noise


@dataclass(frozen=True)
class MeanOperatorRelease:
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

    fit_for_release: ClassVar[bool] = False

    alpha: float
    noise: str = "printed"
    bound: float = 1.0
    l1_bound: float | None = None

    def __post_init__(self) -> None:
        """A level that is not positive promises nothing that noise could keep."""
        require_numbers(self)
        for name in ("alpha", "bound"):
            value = getattr(self, name)
            require(isfinite(value) and value > 0, f"{name} must be a positive finite number, got {value}")
        require(self.noise in NOISES, f"noise must be one of {', '.join(NOISES)}, got {self.noise!r}")
        l1 = self.l1_bound
        require(l1 is None or (isfinite(l1) and l1 > 0), f"l1_bound must be a positive finite number, got {l1}")

    @property
    def claimed_epsilon(self) -> float:
        """α; ``printed`` keeps it where ‖x‖₁ ≤ bound."""
        return self.alpha

    def scale(self, m: int, d: int) -> float:
        """The noise's scale: of each entry (Laplace), or of the vector's length (gamma)."""
        if self.noise == "laplace":
            return 2 * self._l1(d) / (m * self.alpha)
        return 2 * self.bound / (m * self.alpha)

    def release(self, X: ArrayLike, y: ArrayLike, rng: Generator) -> Floats:
        """The noisy mean operator, which may be published.

        Parameters
        ----------
        X : array of shape (m, d)
            The public features, within the declared bounds.
        y : array of shape (m,)
            The private labels, −1 or +1.
        rng : numpy.random.Generator
            The source of the noise.

        Returns
        -------
        array of shape (d,)
            μ plus noise.
        """
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

    def publish(
        self, data: Data, rng: Generator | None = None, intercept: bool = False, classes: Sequence[Any] = (-1, 1)
    ) -> Release:
        """The noisy sum of all yᵢxᵢ, as a release of the protocol "mean-operator".

        Parameters
        ----------
        data : (X, y), or an iterable of such pairs
            The public features, within the declared bounds, and the private labels.
        rng : numpy.random.Generator
            The source of the noise; None, which stands for the operating system's randomness, is refused.
        intercept : bool
            Whether a constant one is a feature, too, which counts in the norms.
        classes : pair
            What the negative and the positive label are called, whether or not the data hold both.

        Returns
        -------
        Release
            Rows that are fitted to must be those of the data, in the same order.
        """
        generator = simulated(rng, "MeanOperatorRelease")
        return publish_simulated(self, asdict(self), records_of(data, intercept, classes), generator)

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
        features = checked_features(X)
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
