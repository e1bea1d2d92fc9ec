"""Figure 3: the efficiency of moments relative to marginal likelihood under classical randomised response."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.random import Generator
from scipy.special import stdtrit

from replication.papers.linear_moments.fig3.settings import Score
from replication.papers.linear_moments.release_variances import (
    efficiency_limit,
    moment_variance,
    response_loss,
    response_marginal_information,
)
from replication.randomness import Trial
from unveil.estimators.moments.solvers import maximise_marginal, moment_estimate
from unveil.mechanisms.response import randomized_response_matrix
from unveil.theory.asymptotics import asymptotic_variances, efficiency_of, inverse_information
from unveil.theory.finite_models import observation_marginals
from unveil.types import Floats

COLUMNS = ["signal", "epsilon", "quantity", "source", "coordinate", "value", "low", "high"]
COLUMNS += ["limit", "degrees", "theta", "n"]
#: φ(1) … φ(4) of section 5: two independent bits.
PHI = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])

Row: TypeAlias = dict[str, Any]


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Exact values, closed forms and a Monte-Carlo check; `signals` names each parameter vector θ.

    `limit`, on the exact efficiencies, is where they tend to as ε → 0; `degrees`, on simulated values, are the degrees
    of freedom of their intervals; `theta` is the parameter in words, `n` the observations in a simulated sample. The
    signal `counterexample` is another model, enumerated.
    """
    rows: list[Row] = []
    for (signal, values), epsilon in product(settings.signals.items(), settings.epsilons):
        theta = np.asarray(values, dtype=float)
        label = {"signal": signal, "epsilon": epsilon, "theta": " ".join(f"{value:g}" for value in theta)}
        matrix = randomized_response_matrix(len(PHI), epsilon)
        exact, *variances = _rows(label, "exact", *asymptotic_variances(PHI, theta, matrix))
        rows += [{**exact, "limit": efficiency_limit(PHI, theta)}, *variances]
        rows += _rows(label, "closed_form", *_closed_forms(theta, epsilon))
        rows += _monte_carlo(label, theta, matrix, trials[0].rng, settings)
    frame = pd.DataFrame([*rows, *_counterexample(settings)], columns=COLUMNS)
    return frame.astype({"coordinate": "Int64", "degrees": "Int64", "n": "Int64"})


def _counterexample(settings: Score) -> Iterator[Row]:
    """The efficiency of another model, which does not rise with ε."""
    model = settings.counterexample
    phi, theta = np.array(model.statistics, dtype=float)[:, None], np.array([model.theta], dtype=float)
    label = {"signal": "counterexample", "theta": f"{model.theta:g}", "quantity": "efficiency", "source": "enumerated"}
    for epsilon in sorted({*settings.epsilons, *model.close}):
        matrix = randomized_response_matrix(len(phi), epsilon)
        yield {**label, "epsilon": epsilon, "value": efficiency_of(*asymptotic_variances(phi, theta, matrix))}


def _closed_forms(theta: Floats, epsilon: float) -> tuple[Floats, Floats]:
    """Σ_marg and Σ_mom by Lemma 1 and its counterpart for marginal likelihood."""
    information = response_marginal_information(PHI, theta, epsilon)
    moments = moment_variance(PHI, theta, response_loss(PHI, theta, epsilon))
    return inverse_information(information, "the observations"), moments


def _rows(label: Row, source: str, marginal: Floats, moments: Floats) -> list[Row]:
    rows: list[Row] = [{**label, "quantity": "efficiency", "source": source, "value": efficiency_of(marginal, moments)}]
    for quantity, sigma in (("var_marginal", marginal), ("var_moments", moments)):
        rows += [
            {**label, "quantity": quantity, "source": source, "coordinate": j, "value": sigma[j, j]}
            for j in range(len(sigma))
        ]
    return rows


def _monte_carlo(label: Row, theta: Floats, matrix: Floats, rng: Generator, settings: Score) -> list[Row]:
    """Both estimators on simulated counts: n times their covariance; 95 % intervals by grouped jackknife."""
    n, replications, groups = settings.sample_size, settings.replications, settings.groups
    frequencies = rng.multinomial(n, observation_marginals(PHI, theta, matrix), replications) / n
    moments = moment_estimate(frequencies, PHI, matrix)
    # ASSUME: at this n the likelihood's maximum is the stationary point next to the moment estimate.
    marginal, _ = maximise_marginal(frequencies, PHI, matrix, start=moments)
    errors = np.concatenate([marginal, moments], axis=1) - np.tile(theta, 2)
    outer = errors[:, :, None] * errors[:, None, :] * n
    sums = outer.reshape(groups, -1, *outer.shape[1:]).sum(axis=1)
    left_out = (sums.sum(axis=0) - sums) * groups / ((groups - 1) * replications)
    whole = _rows(label, "monte_carlo", *_blocks(sums.sum(axis=0) / replications))
    jackknife = np.array([[row["value"] for row in _rows(label, "", *_blocks(part))] for part in left_out])
    half = -stdtrit(groups - 1, 0.025) * np.sqrt((groups - 1) * jackknife.var(axis=0))
    return [
        {**row, "low": row["value"] - h, "high": row["value"] + h, "degrees": groups - 1, "n": n}
        for row, h in zip(whole, half, strict=True)
    ]


def _blocks(covariance: Floats) -> tuple[Floats, Floats]:
    d = PHI.shape[1]
    return covariance[:d, :d], covariance[d:, d:]
