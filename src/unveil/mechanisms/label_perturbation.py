"""What the noisy mean operator is compared with: noise on the labels, on the learnt model, and on its objective."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, inf, isfinite, log, sinh, tanh
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require, require_numbers
from unveil.mechanisms.mean_operator import checked_features, checked_signs, radial_noise
from unveil.types import Array, Floats, as_array, as_whole


def _require_alpha(alpha: float) -> None:
    require(isfinite(alpha) and alpha > 0, f"alpha must be a positive finite number, got {alpha}")


@dataclass(frozen=True)
class LabelResponse:
    """Randomised response on each label: kept with probability e^α/(1 + e^α), flipped otherwise.

    What the noisy mean operator of Patrini et al. (2016) is compared with. For simulation only.

    Parameters
    ----------
    alpha : float
        α, the level of one label.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import LabelResponse
    >>> X, y = np.tile([[0.6, 0.8], [1.0, 0.0]], (500, 1)), np.tile([1, -1], 500)
    >>> veil = LabelResponse(1.0)
    >>> released = veil.release(y, default_rng(0))
    >>> float((released == y).mean())
    0.716
    >>> veil.mean_operator(X, released).round(2)  # the true one is (−0.2, 0.4)
    array([-0.23,  0.35])

    See Also
    --------
    ExactResponse : for real releases.
    MeanOperatorRelease : one statistic instead of all labels.
    """

    fit_for_release: ClassVar[bool] = False

    alpha: float

    def __post_init__(self) -> None:
        """A level must be positive."""
        require_numbers(self)
        _require_alpha(self.alpha)

    @property
    def claimed_epsilon(self) -> float:
        """α, exactly: the two answers' probabilities have the ratio e^α."""
        return self.alpha

    def release(self, y: ArrayLike, rng: Generator) -> Array:
        """The labels `y` (n,), −1 or +1, as int8, some of them flipped."""
        labels = as_array(y, "y")
        signs = checked_signs(labels, labels.size)
        kept = rng.random(len(signs)) * (1 + exp(-self.alpha)) < 1
        released: Array = as_whole(np.where(kept, signs, -signs), "y", np.int8)
        return released

    def debias(self, released: ArrayLike) -> Floats:
        """Numbers whose expectation is the true labels: the released ones over tanh(α/2)."""
        signs: Floats = np.asarray(released, dtype=float) / tanh(self.alpha / 2)
        return signs

    def mean_operator(self, X: ArrayLike, released: ArrayLike) -> Floats:
        """An unbiased estimate (d,) of μ from released labels (n,) and the public features X (n, d)."""
        features = checked_features(X)
        mu: Floats = self.debias(checked_signs(released, len(features))) @ features / len(features)
        return mu

    @property
    def deviation(self) -> float:
        """The standard deviation of one debiased label, 1/sinh(α/2)."""
        return 1 / sinh(self.alpha / 2) if self.alpha < 1400 else 0.0


@dataclass(frozen=True)
class OutputPerturbation:
    """Radial noise on the minimiser of a linear-odd risk (Chaudhuri et al. 2011, algorithm 1, for labels).

    A flip moves the statistic by at most 2·bound/m, and so the minimiser of a convex risk by at most
    (|a|/4λ)·2·bound/m: no derivative of the loss enters, and the loss need not be Lipschitz.
    """

    fit_for_release: ClassVar[bool] = False

    alpha: float
    a: float
    l2: float
    bound: float = 1.0

    def __post_init__(self) -> None:
        """Without λ > 0 one label can move the minimiser any distance."""
        require_numbers(self)
        _require_alpha(self.alpha)
        require(self.l2 > 0, f"l2 must be positive, got {self.l2}")
        require(self.bound > 0, f"bound must be positive, got {self.bound}")

    def sensitivity(self, m: int) -> float:
        """How far one label of m can move the minimiser."""
        return abs(self.a) * self.bound / (2 * self.l2 * m)

    def release(self, theta: Floats, m: int, rng: Generator) -> Floats:
        """The minimiser for m records, plus noise with density ∝ exp(−α‖b‖₂/sensitivity)."""
        reach = self.sensitivity(m)
        return theta + radial_noise(self.alpha / reach, theta.shape, rng) if reach > 0 else theta


@dataclass(frozen=True)
class ObjectivePerturbation:
    """A random linear term in the objective (Chaudhuri et al. 2011, algorithm 2): private for whole records.

    For the objective mean loss + λ‖θ‖² with a loss of slope at most `slope` and curvature at most `curvature`, and
    ‖x‖₂ ≤ 1. It promises more than a label's privacy; what it keeps for labels alone is `label_epsilon`.
    """

    fit_for_release: ClassVar[bool] = False

    alpha: float
    slope: float
    curvature: float
    l2: float

    def __post_init__(self) -> None:
        """The theorem behind the calibration asks for bounded derivatives."""
        require_numbers(self)
        _require_alpha(self.alpha)
        require(0 < self.slope < inf, f"slope must be positive and finite, got {self.slope}")
        require(0 <= self.curvature < inf, f"curvature must be finite and at least 0, got {self.curvature}")
        require(self.l2 > 0, f"l2 must be positive, got {self.l2}")

    def _budget(self, m: int) -> tuple[float, float]:
        """What is left of α for the noise, and how much λ must grow for that (both for the loss over `slope`)."""
        c, ridge = self.curvature / self.slope, 2 * self.l2 / self.slope
        left = self.alpha - 2 * log(1 + c / (m * ridge))
        if left > 0:
            return left, 0.0
        return self.alpha / 2, max(0.0, c / (m * expm1(self.alpha / 4)) - ridge)

    def extra_l2(self, m: int) -> float:
        """What is added to λ."""
        return self._budget(m)[1] * self.slope / 2

    def noise_scale(self, m: int) -> float:
        """The scale of the linear term b of the objective … + ⟨b, θ⟩, whose density is ∝ exp(−‖b‖₂/scale)."""
        return 2 * self.slope / (m * self._budget(m)[0])

    def linear_term(self, m: int, d: int, rng: Generator) -> Floats:
        """A draw of b."""
        return radial_noise(1 / self.noise_scale(m), (d,), rng)

    def label_epsilon(self, a: float, m: int, norm: float = 1.0) -> float:
        """The exact level for labels alone, given the largest ‖x‖₂ of the public features.

        A flip of a linear-odd loss moves the gradient by a·x/m everywhere and the Hessian not at all, so that only the
        density of b changes, by the factor e^(|a|‖x‖/(m·scale)) at most.
        """
        return abs(a) * norm / (m * self.noise_scale(m))
