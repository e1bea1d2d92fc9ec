"""What the noisy mean operator is compared with: noise on the learnt model, and on its objective."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, inf, log

from numpy.random import Generator

from unveil.errors import require
from unveil.mechanisms.base import Mechanism
from unveil.mechanisms.checks import check_alpha
from unveil.mechanisms.mean_operator import radial_noise
from unveil.types import Floats


@dataclass(frozen=True)
class OutputPerturbation(Mechanism):
    """Radial noise on the minimiser of a linear-odd risk (Chaudhuri et al. 2011, algorithm 1, for labels).

    A flip moves the statistic by at most 2·bound/m, and so the minimiser of a convex risk by at most
    (|a|/4λ)·2·bound/m: no derivative of the loss enters, and the loss need not be Lipschitz.
    """

    alpha: float
    a: float
    l2: float
    bound: float = 1.0

    def _check_parameters(self) -> None:
        check_alpha(self.alpha)
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
class ObjectivePerturbation(Mechanism):
    """A random linear term in the objective (Chaudhuri et al. 2011, algorithm 2): private for whole records.

    For the objective mean loss + λ‖θ‖² with a loss of slope at most `slope` and curvature at most `curvature`, and
    ‖x‖₂ ≤ 1. It promises more than a label's privacy; what it keeps for labels alone is `label_epsilon`.
    """

    alpha: float
    slope: float
    curvature: float
    l2: float

    def _check_parameters(self) -> None:
        check_alpha(self.alpha)
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
