"""How much each structured mechanism costs, as tr H (Raghunathan et al. 2016, appendix A.4).

For statistics in [0, c] tr H depends on three numbers besides α and d: E‖φ‖₁, E‖φ‖² and, for per-value
release, δ̄. Each scheme has four forms: exact; printed (Theorems 1 and 2, which assume bits and c = 1); the
printed approximation for small α, (29) and (30); and that approximation corrected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from replication.papers.linear_moments.release_variances import flip_variance
from unveil.errors import require

FORMS = ("exact", "printed", "small_alpha", "small_alpha_corrected")


@dataclass(frozen=True)
class Population:
    """What tr H needs to know of the statistics: dimension, E‖φ‖₁, E‖φ‖², and the bound c."""

    d: int
    mean_norm: float
    mean_square: float
    upper: float = 1.0


def coordinate_trace(population: Population, alpha: float, delta_bar: float, form: str = "exact") -> float:
    """The trace of H of coordinate release with uniform p_cr; δ̄ enters the printed (29) only, in place of E‖φ‖₁."""
    d, c = population.d, population.upper
    choice = d * c * population.mean_norm - population.mean_square
    traces = {
        "exact": lambda: d**2 * c**2 * flip_variance(alpha) + choice,
        "printed": lambda: d**2 * flip_variance(alpha) + (d - 1) * population.mean_square,
        "small_alpha": lambda: 4 * d**2 / alpha**2 + delta_bar * (d - 1),
        "small_alpha_corrected": lambda: 4 * c**2 * d**2 / alpha**2 + choice,
    }
    return float(traces[form]())


def per_value_trace(population: Population, alpha: float, delta_bar: float, form: str = "exact") -> float:
    """The trace of H of per-value φ-RR at α/δ̄."""
    d, c = population.d, population.upper
    binarisation = c * population.mean_norm - population.mean_square
    level = alpha / delta_bar
    traces = {
        "exact": lambda: d * c**2 * flip_variance(level) + binarisation,
        "printed": lambda: d * flip_variance(level),
        "small_alpha": lambda: 4 * d / level**2,
        "small_alpha_corrected": lambda: 4 * c**2 * d / level**2 + binarisation,
    }
    return float(traces[form]())


def nominal_level(scheme: str, epsilon: float, d: int, delta_bar: float) -> float:
    """The α at which a scheme is just ε-private: coordinate release at α/2, per-value at α min(d, 2δ̄)/(2δ̄)."""
    return 2 * epsilon if scheme == "coordinate" else epsilon * 2 * delta_bar / min(d, 2 * delta_bar)


def crossover(d: int, alpha: float, fill: float = 1.0, actual: bool = False) -> float:
    """The δ̄ at which both schemes cost the same, for binary φ with E‖φ‖₁ = fill·δ̄; near √d for small α.

    Below it per-value release is cheaper, above it coordinate release; with `actual`, at the same exact level α.
    Infinite where per-value release is cheaper even at δ̄ = d, as happens for large α.
    """
    require(d >= 2, "d must be at least 2: with one coordinate the schemes are one")

    def advantage(delta_bar: float) -> float:
        norm = fill * delta_bar
        population = Population(d, norm, norm)
        levels = [nominal_level(name, alpha, d, delta_bar) if actual else alpha for name in ("per_value", "coordinate")]
        ours = per_value_trace(population, levels[0], delta_bar)
        return float(np.log(ours) - np.log(coordinate_trace(population, levels[1], delta_bar)))

    if advantage(float(d)) <= 0:
        return np.inf
    if advantage(1.0) >= 0:
        return 1.0
    return float(brentq(advantage, 1.0, float(d), xtol=1e-10))
