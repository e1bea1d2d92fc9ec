"""Appendix B as it is stated: maximum likelihood on flipped labels among θ of the truth's length, ‖θ‖ = ‖θ₀‖ = 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.optimize import minimize
from scipy.special import expit, softmax

from replication.papers.spread.consistency.enumeration import factorised_inputs, joint_noise, patterns
from replication.papers.spread.digits import STATES
from replication.papers.spread.noisy_regression import NoisyRegression, angle, fit_logistic, normal_grid
from replication.papers.spread.theory.settings import Score
from replication.randomness import Trial
from unveil.mechanisms.flips import LabelFlips
from unveil.types import Array, Floats

#: Binary inputs of the model in which θ and the inputs' law are coupled.
COUPLED = 2
#: Steps of EM, and sweeps over the factors in each: both have come to rest by then.
EM_STEPS, SWEEPS = 200, 5
#: A climb has ended where the gradient along the sphere is this small.
GRADIENT = 1e-9
#: θ to the likelihood of much data and its gradient.
Objective: TypeAlias = Callable[[Floats], tuple[float, Floats]]


class Row(NamedTuple):
    """One quantity for one law of the inputs and one pair of flips, in the limit of much data; `trial`: which θ₀."""

    quantity: str
    inputs: str
    zero_to_one: float
    one_to_zero: float
    trial: int
    value: float


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Angles in degrees, slopes in nats a radian, lengths; each trial has a θ₀ of its own, drawn uniformly.

    And, for flips of labels and inputs alike as in figure 3, how far the noise is from one that is not valid, how θ
    and the inputs' law are coupled, and how far from the truth EM ends with a q of a parametric form.
    """
    rows = [row for trial in trials for flips in settings.label_flips for row in _found(trial, flips, settings)]
    for trial in trials:
        truth = trial.public.standard_normal(2 * COUPLED)
        rows += [
            Row("coupling", "two inputs", p, p, trial.number, coupling(p, truth)) for p in (0.0, *settings.p_flips)
        ]
        for p, form in product(settings.p_flips, ("factorised", "exact")):
            rows.append(Row(f"{form}_q", "two inputs", p, p, trial.number, end_of_em(p, truth, form == "factorised")))
    for p in settings.p_flips:
        for inputs, states in (("labels", 2), ("pixels", STATES)):
            rows.append(Row("validity", inputs, p, p, 0, validity(p, states)))
    return pd.DataFrame(rows, columns=Row._fields)


def validity(p_flip: float, states: int) -> float:
    """The least singular value of noise that moves a state to any other: section 2 wants it above zero."""
    matrix = np.full((states, states), p_flip / (states - 1))
    np.fill_diagonal(matrix, 1 - p_flip)
    return float(np.linalg.svd(matrix, compute_uv=False)[-1])


def coupling(p_flip: float, truth: Floats) -> float:
    """By how much what θ adds to (46) changes with the inputs' law, for much data: zero if it is separable.

    (46) at two values of θ and of the law's logits, half a unit apart: a sum of two functions has no contrast.
    """
    flips = LabelFlips(p_flip).matrix
    noise, model = joint_noise(COUPLED, flips, flips), factorised_inputs(COUPLED)
    seen = noise @ np.exp(model(truth)[0])

    def likelihood(*moved: float) -> float:
        return float(seen @ np.log(noise @ np.exp(model(truth + np.repeat(moved, COUPLED))[0])))

    return abs(likelihood(0.5, 0.5) - likelihood(0.5, 0.0) - likelihood(0.0, 0.5) + likelihood(0.0, 0.0))


def _found(trial: Trial, chances: tuple[float, float], settings: Score) -> list[Row]:
    rng, flips = trial.public, LabelFlips(*chances)
    d, variances = len(settings.variances), np.array(settings.variances)
    truth, label = unit(rng, d), (*chances, trial.number)
    covariances = {"isotropic Gaussian": np.eye(d) * variances.mean(), "anisotropic Gaussian": np.diag(variances)}
    rows = []
    for name, covariance in covariances.items():
        law = NoisyRegression(truth, np.zeros(d), covariance, flips.matrix, 0.0)
        rows += [
            Row("slope", name, *label, slope(law)),
            Row("angle", name, *label, angle(on_the_sphere(gaussian(law), truth), truth)),
            Row("length", name, *label, float(np.linalg.norm(law.optimum(intercept=False)))),
        ]
    for size in settings.inputs:
        truth = unit(rng, size)
        signs = 2.0 * ((np.arange(2**size)[:, None] >> np.arange(size)) & 1) - 1
        found = on_the_sphere(enumerated(signs, truth, flips), truth)
        rows.append(Row("angle", f"{size} random signs", *label, angle(found, truth)))
    return rows


def end_of_em(p_flip: float, truth: Floats, factorised: bool) -> float:
    """How far from the true θ EM is after many steps from there, for much data, with the inputs' law known.

    q is the posterior, for which (50) is tight, or the nearest law to it under which inputs and label are independent.
    """
    flips = LabelFlips(p_flip).matrix
    noise, model = joint_noise(COUPLED, flips, flips), factorised_inputs(COUPLED)
    seen, bits = noise @ np.exp(model(truth)[0]), patterns(COUPLED + 1)
    theta, halves = truth.copy(), np.full((len(bits), COUPLED + 1), 0.5)
    for _ in range(EM_STEPS):
        log_joint = np.log(noise) + model(theta)[0]
        if factorised:
            halves = _nearest_factors(log_joint, halves, bits)
            q = np.prod(np.where(bits, halves[:, None], 1 - halves[:, None]), axis=2)
        else:
            q = softmax(log_joint, axis=1)
        mass = (seen @ q).reshape(-1, 2)  # by inputs and label
        weights = mass.sum(axis=1)
        theta[:COUPLED] = fit_logistic(1.0 * patterns(COUPLED), mass[:, 1] / weights, weights)
    return float(np.linalg.norm((theta - truth)[:COUPLED]))


def _nearest_factors(log_joint: Floats, halves: Floats, bits: Array) -> Floats:
    """The chance that each bit is one, for every state that was seen, by coordinate ascent on the bound."""
    for _, k in product(range(SWEEPS), range(bits.shape[1])):
        others = np.delete(np.where(bits, halves[:, None], 1 - halves[:, None]), k, axis=2).prod(axis=2)
        halves[:, k] = expit((others * log_joint * (2 * bits[:, k] - 1)).sum(axis=1))
    return halves


def unit(rng: Generator, size: int) -> Floats:
    """A direction, drawn uniformly."""
    drawn: Floats = rng.standard_normal(size)
    return drawn / np.linalg.norm(drawn)


def slope(law: NoisyRegression) -> float:
    """The length of the gradient of (90) along the sphere at θ₀, for zero means and noise on the labels only.

    E[h(z₁)x] = Σθ₀ E[h(z₁)z₁]/θ₀ᵀΣθ₀ for Gaussian x.
    """
    truth, variance = law.theta0, float(law.theta0 @ law.covariance @ law.theta0)
    z, mass = _normal(variance)
    gap = float(mass @ ((_noisy(law.label_matrix, z) - expit(z)) * z))
    gradient = law.covariance @ truth * gap / variance
    return float(np.linalg.norm(gradient - (gradient @ truth) * truth))


def gaussian(law: NoisyRegression) -> Objective:
    """L'∞ of (90) for zero means: E[γ(z₁)z₂] − E[log(1 + e^z₂)], with z₂ = θᵀx."""
    variance = float(law.theta0 @ law.covariance @ law.theta0)
    z, mass = _normal(variance)
    linear = law.covariance @ law.theta0 * float(mass @ (_noisy(law.label_matrix, z) * z)) / variance

    def objective(theta: Floats) -> tuple[float, Floats]:
        seen = law.covariance @ theta
        values, weights = _normal(float(theta @ seen))
        steepness = float(weights @ (expit(values) * (1 - expit(values))))
        return float(linear @ theta - weights @ np.logaddexp(0, values)), linear - seen * steepness

    return objective


def enumerated(inputs: Floats, truth: Floats, flips: LabelFlips) -> Objective:
    """L'∞ of (90) for inputs that are all equally likely."""
    noisy = _noisy(flips.matrix, inputs @ truth)

    def objective(theta: Floats) -> tuple[float, Floats]:
        z = inputs @ theta
        return float(np.mean(noisy * z - np.logaddexp(0, z))), (noisy - expit(z)) @ inputs / len(inputs)

    return objective


def on_the_sphere(objective: Objective, truth: Floats) -> Floats:
    """The highest point among θ of length one, climbing from the truth, from its opposite and from the axes."""

    def downhill(u: Floats) -> tuple[float, Floats]:
        length = np.linalg.norm(u)
        value, gradient = objective(u / length)
        return -value, -(gradient - (gradient @ u) * u / length**2) / length

    starts = [truth, -truth, *np.eye(len(truth)), *-np.eye(len(truth))]
    climbs = [minimize(downhill, start, jac=True, method="BFGS", options={"gtol": GRADIENT}) for start in starts]
    best = min(climbs, key=lambda climb: float(climb.fun)).x
    found: Floats = best / np.linalg.norm(best)
    return found


def _noisy(matrix: Floats, z: Floats) -> Floats:
    """γ of (103)."""
    noisy: Floats = matrix[1, 0] + (matrix[1, 1] - matrix[1, 0]) * expit(z)
    return noisy


def _normal(variance: float) -> tuple[Floats, Floats]:
    """Nodes and masses of a normal of that variance."""
    nodes, mass = normal_grid(1)
    return nodes[:, 0] * np.sqrt(variance), mass
