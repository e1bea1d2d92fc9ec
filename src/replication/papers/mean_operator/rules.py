"""How λ is chosen, by owner and learner alike: nothing but public numbers and what was released enters."""

from __future__ import annotations

from math import sinh
from typing import get_args

from replication.papers.mean_operator.settings import Rule
from unveil.estimators.statistics.losses import LinearOddLoss
from unveil.estimators.statistics.tuning import Noise, public_l2

RULES: tuple[Rule, ...] = get_args(Rule)


def statistic_noise(mechanism: str, scale: float, d: int) -> Noise:
    """The noise of a released mean operator: Laplace noise of this scale an entry, or radial noise (gamma)."""
    variance = d + 1 if mechanism in ("gamma", "objective") else 2
    return Noise(variance * scale**2, 0.0)


def response_noise(alpha: float) -> Noise:
    """The noise of labels flipped at level α, debiased."""
    return Noise(0.0, 1 / sinh(alpha / 2) ** 2)


def owners_l2(loss: LinearOddLoss, alpha: float, m: int, d: int) -> float:
    """The public rule for an owner who minimises: as for radial noise on the statistic at the same level.

    ASSUME: an owner knows no better λ without spending privacy on the choice.
    """
    return public_l2(loss, statistic_noise("gamma", 2 / (m * alpha), d), m)
