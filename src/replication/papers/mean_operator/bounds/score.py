"""Theorems 6 and 10: the bounds as stated, as they are, and what is measured, over the dimension.

Beside them, in rows that are not drawn: algorithm 2's level and noise (theorem 9), and algorithm 3 (theorem 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy import optimize

from replication.papers.mean_operator.bounds.settings import Score
from replication.papers.mean_operator.factorization import labelled_risk
from replication.papers.mean_operator.operator_noise import (
    combination_tail,
    deviation_bound_fixed,
    deviation_bound_stated,
    deviation_bound_uniform,
    shift_bound_sharp,
    shift_bound_stated,
    worst_tail,
)
from replication.papers.mean_operator.scoring import Row
from replication.randomness import Trial
from unveil.estimators.statistics.losses import LINEAR, LinearOddLoss, linear_odd_loss
from unveil.estimators.statistics.risk import Design, minimise_statistic
from unveil.mechanisms.mean_operator import MeanOperatorRelease, mean_operator
from unveil.types import Array, Floats

COLUMNS = ["theorem", "loss", "d", "delta", "l2", "m", "alpha", "trial", "quantity", "value"]
#: Into so many parts the draws of algorithm 2's noise are cut, so that their scatter tells how sure a mean is.
PARTS = 20


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Theorem 6 once a trial; theorem 10 once, from `draws` draws of the noise; then algorithms 2 and 3.

    Rows of theorem 9 with a trial are means over so many equal parts of the draws.
    """
    rows: list[Row] = []
    for trial in trials:
        for d in settings.dimensions:
            rows += _shifts(trial, d, settings)
    first = trials[0]
    for d, delta in product(settings.dimensions, settings.deltas):
        rows += _deviations(first.rng_of("deviations", d, delta), d, delta, settings)
    for part, d in product((_levels, _noise, _protocol), settings.dimensions):
        rows += part(first.rng_of(part.__name__, d), d, settings)
    return pd.DataFrame(rows, columns=COLUMNS).astype({"trial": "Int64"})


def _steep() -> LinearOddLoss:
    """−3x: linear-odd with a = 6, beyond the 4 up to which theorem 6 holds as stated."""
    return replace(LINEAR, name="steep_linear", a=6.0)


def _shifts(trial: Trial, d: int, settings: Score) -> list[Row]:
    """How far the minimiser moves when the statistic is released with the printed noise."""
    rng, m, alpha, l2 = trial.rng_of("shifts", d), settings.m, settings.alpha, settings.l2
    X, theta = rng.standard_normal((m, d)), rng.standard_normal(d)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(X @ theta + 0.3 * rng.standard_normal(m) > 0, 1, -1)
    mu, design = mean_operator(X, y), Design(X)
    noisy = MeanOperatorRelease(alpha, "printed").perturb(mu, m, rng)
    shift = float(np.linalg.norm(noisy - mu))
    about = {"theorem": 6, "d": d, "l2": l2, "m": m, "alpha": alpha, "trial": trial.number}
    rows: list[Row] = []
    for loss in [*map(linear_odd_loss, settings.losses), _steep()]:
        clean, moved = (minimise_statistic(design, loss, s, l2).theta for s in (mu, noisy))
        values = {
            "stated": shift_bound_stated(shift, l2),
            "corrected": shift_bound_sharp(shift, l2, loss.a),
            "measured": float(np.linalg.norm(moved - clean)),
        }
        rows += [{**about, "loss": loss.name, "quantity": name, "value": value} for name, value in values.items()]
    return rows


def _deviations(rng: Generator, d: int, delta: float, settings: Score) -> list[Row]:
    """Theorem 10 for a = 1: the 1 − δ quantile of the error (|a|/2)·|⟨θ, b⟩|, and how often each bound fails."""
    a, m, alpha, radius = 1.0, settings.m, settings.alpha, settings.radius
    bounds = {
        "stated": deviation_bound_stated(a, radius, m, alpha, d, delta),
        "corrected": deviation_bound_uniform(a, radius, m, alpha, d, delta),
        "corrected_fixed": deviation_bound_fixed(a, radius, m, alpha, d, delta),
    }
    noise = MeanOperatorRelease(alpha, "printed").perturb(np.zeros((settings.draws, d)), m, rng)
    # Over the whole ball the worst θ is R·b/‖b‖, which is known only after the noise is.
    worst = a / 2 * radius * np.linalg.norm(noise, axis=1)
    unit = a / (m * alpha) * radius  # (|a|/2)·R·σ
    axis, diagonal = np.eye(d)[0], np.full(d, d**-0.5)
    values = {
        **bounds,
        "measured_uniform": float(np.quantile(worst, 1 - delta)),
        "failure_uniform": float(np.mean(worst > bounds["stated"])),
        "failure_corrected": float(np.mean(worst > bounds["corrected"])),
        "measured_axis": -unit * float(np.log(delta)),  # a single Laplace variable
        "measured_diagonal": unit * quantile(diagonal, delta),
        "failure_axis": combination_tail(axis, bounds["stated"] / unit),
        "failure_diagonal": combination_tail(diagonal, bounds["stated"] / unit),
        "failure_fixed": worst_tail(d, bounds["stated"] / unit)[0],
        "draws": settings.draws,
    }
    label = {"theorem": 10, "loss": "logistic", "d": d, "delta": delta, "m": m, "alpha": alpha}
    return [{**label, "quantity": name, "value": value} for name, value in values.items()]


def _levels(rng: Generator, d: int, settings: Score) -> list[Row]:
    """The exact level of algorithm 2 at features of 1-norm one, and of 2-norm one: random ones, and the diagonal."""
    mechanism = MeanOperatorRelease(settings.alpha, "printed")
    about = {"theorem": 9, "d": d, "m": settings.m, "alpha": settings.alpha}
    rows: list[Row] = []
    for order in (1, 2):
        X = np.vstack([np.ones(d), rng.standard_normal((settings.m - 1, d))])
        X /= np.linalg.norm(X, ord=order, axis=1, keepdims=True)
        rows.append({**about, "quantity": f"level_norm_{order}", "value": mechanism.tight_epsilon(X)})
    return [*rows, {**about, "quantity": "level_after", "value": _level_of_sign(X[-1], settings.alpha)}]


def _level_of_sign(x: Floats, alpha: float) -> float:
    """The exact level of what the linear loss's model says of x: the sign of ⟨μ̃, x⟩, which one label may shift.

    In units of the noise's scale the label of a record along the largest entry of x shifts the mean by α times that.
    """
    x = np.array(x) / np.linalg.norm(x)
    shift = alpha * float(np.abs(x).max())

    def beyond(t: float) -> float:
        tail = combination_tail(x, abs(t)) / 2
        return tail if t >= 0 else 1 - tail

    return max(abs(float(np.log(beyond(t) / beyond(t + shift)))) for t in np.linspace(-4, 4, 17))


def _noise(rng: Generator, d: int, settings: Score) -> list[Row]:
    """In units of the noise's scale: the mean error of μ̃ along μ, and the mean length of the noise."""
    m, mechanism = settings.m, MeanOperatorRelease(settings.alpha, "printed")
    direction = rng.standard_normal(d)
    direction /= np.linalg.norm(direction)
    about = {"theorem": 9, "d": d, "m": m, "alpha": settings.alpha}
    rows: list[Row] = []
    for part in range(PARTS):
        mu = np.tile(direction / 2, (max(settings.draws // PARTS, 1), 1))
        error = (mechanism.perturb(mu, m, rng) - mu) / mechanism.scale(m, d)
        values = {"bias": (error @ direction).mean(), "noise_length": np.linalg.norm(error, axis=1).mean()}
        rows += [{**about, "trial": part, "quantity": name, "value": float(v)} for name, v in values.items()]
    return rows


def _protocol(rng: Generator, d: int, settings: Score) -> list[Row]:
    """Algorithm 3: the learner's model, from μ̃ and features, against the labelled risk perturbed by the same noise.

    The latter, risk(S, θ) − (a/2)·⟨θ, b⟩ + λ‖θ‖², is minimised where the labels are, by a general-purpose optimiser.
    """
    m, l2 = settings.m, settings.l2
    X = rng.standard_normal((m, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = rng.choice([-1, 1], size=m)
    mu = mean_operator(X, y)
    noisy = MeanOperatorRelease(settings.alpha, "printed").perturb(mu, m, rng)
    about = {"theorem": 3, "d": d, "l2": l2, "m": m, "alpha": settings.alpha}
    rows: list[Row] = []
    for loss in map(linear_odd_loss, settings.losses):
        remote = minimise_statistic(Design(X), loss, noisy, l2).theta
        there = _perturbed_minimiser(loss, X, y, noisy - mu, l2)
        rows.append({**about, "loss": loss.name, "quantity": "model_gap", "value": float(np.abs(remote - there).max())})
    return rows


def _perturbed_minimiser(loss: LinearOddLoss, X: Floats, y: Array, noise: Floats, l2: float) -> Floats:
    """The minimiser of the labelled risk with a linear perturbation (objective perturbation's form)."""

    def objective(theta: Floats) -> tuple[float, Floats]:
        margins = y * (X @ theta)
        value = labelled_risk(loss, theta, X, y) - loss.a / 2 * float(theta @ noise) + l2 * float(theta @ theta)
        pull = (loss.slope(margins) - loss.a / 2) * y
        return value, pull @ X / len(X) - loss.a / 2 * noise + 2 * l2 * theta

    stop = {"ftol": 0, "gtol": 1e-10, "maxiter": 5000}
    found = optimize.minimize(objective, np.zeros(X.shape[1]), jac=True, method="L-BFGS-B", options=stop)
    theta: Floats = found.x
    return theta


def quantile(direction: Floats, delta: float) -> float:
    """The t with P(|u·l| > t) = δ for standard Laplace l."""
    high = 2.0 + 2 * float(np.log(2 / delta))
    found: float = optimize.brentq(lambda t: combination_tail(direction, t) - delta, 0.0, high, xtol=1e-12, rtol=1e-12)
    return found
