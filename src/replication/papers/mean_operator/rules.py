"""How λ is chosen, by owner and learner alike: nothing but public numbers and what was released enters."""

from __future__ import annotations

from math import sinh, sqrt

from unveil.estimators.statistics.losses import LinearOddLoss
from unveil.estimators.statistics.tuning import Noise, curvature_at_zero, public_l2

#: One for all, by public numbers, or by what was released.
RULES = ("fixed", "public", "released")
#: The mechanisms whose owner minimises.
MINIMISED = ("output", "objective")


def statistic_noise(mechanism: str, scale: float, d: int) -> Noise:
    """The noise of a released mean operator: Laplace noise of this scale an entry, or radial noise (gamma)."""
    variance = d + 1 if mechanism in ("gamma", "objective") else 2
    return Noise(variance * scale**2, 0.0)


def response_noise(alpha: float) -> Noise:
    """The noise of labels flipped at level α, debiased."""
    return Noise(0.0, 1 / sinh(alpha / 2) ** 2)


def owners_l2(mechanism: str, loss: LinearOddLoss, alpha: float, m: int, d: int) -> float:
    """A public rule for an owner who minimises: for radial noise of deviation σ an entry of the statistic at level α.

    A noisy objective is shrunk as a noisy statistic is. A noisy minimiser has noise of deviation σ/λ (for squares, with
    κ = 2) along every axis, also those along which the data hold θ firmly; against shrinkage by λ/(c + λ) at the mean
    second moment c = 1/d of unit records, λ²d² + σ²/λ² is least at λ = √(σ/d).

    ASSUME: an owner knows no better λ without spending privacy on the choice.
    """
    noise = statistic_noise("gamma", 2 / (m * alpha), d)
    if mechanism == "objective":
        return public_l2(loss, noise, m)
    return curvature_at_zero(loss) / 2 * (sqrt(sqrt(noise.own) / d) + 1 / m)
