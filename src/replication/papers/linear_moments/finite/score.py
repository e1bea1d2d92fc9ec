"""What figure 3's asymptotics hide: whether the moment estimate exists, and how far the estimators are off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
import pandas as pd

from replication.papers.linear_moments.fig3.score import PHI
from replication.papers.linear_moments.finite.settings import Score
from replication.randomness import Trial
from unveil.estimators.moments.indirect import project_frequencies
from unveil.estimators.moments.solvers import estimate_moments, match_moments, maximise_marginal, one_scoring_step
from unveil.mechanisms.response import randomized_response_matrix
from unveil.theory.asymptotics import asymptotic_variances
from unveil.theory.finite_models import log_marginal, observation_marginals
from unveil.types import Array, Floats

CONTRACT = ["theta", "epsilon", "n", "estimator", "project", "trial", "exists", "squared_error"]
COLUMNS = [*CONTRACT, "asymptotic"]
#: Moments this close to the edge lie on it, up to rounding.
EDGE = 1e-9


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """One row an estimator and sample of figure 3's model; all estimators see the same samples.

    `squared_error` is ‖θ̂ − θ‖², empty where there is no finite estimate; `asymptotic` the trace of (13) or (14) over n.
    """
    rows = [
        row
        for theta, epsilon, n in product(settings.thetas, settings.epsilons, settings.sizes)
        for row in _rows(np.asarray(theta, dtype=float), epsilon, n, trials, settings)
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(theta: Floats, epsilon: float, n: int, trials: Sequence[Trial], settings: Score) -> Iterator[list[object]]:
    matrix = randomized_response_matrix(len(PHI), epsilon)
    chances = observation_marginals(PHI, theta, matrix)
    seen = np.array([trial.rng_of(*theta, epsilon, n).multinomial(n, chances) for trial in trials]) / n
    marginal, moments = asymptotic_variances(PHI, theta, matrix)
    name = " ".join(f"{value:g}" for value in theta)
    for estimator, project, exists, estimates in estimators(seen, matrix, n, settings.infinite):
        asymptotic = float(np.trace(moments if estimator == "moments" else marginal)) / n
        errors = np.where(exists, np.sum((estimates - theta) ** 2, axis=-1), np.nan)
        for trial, (found, error) in enumerate(zip(exists, errors, strict=True)):
            yield [name, epsilon, n, estimator, project, trial, bool(found), error, asymptotic]


def estimators(seen: Floats, matrix: Floats, n: int, infinite: float) -> Iterator[tuple[str, str, Array, Floats]]:
    """Each estimator: its name, what it projects by, where it exists, and its estimates from all samples."""
    raw = estimate_moments(seen, PHI, matrix)
    # The hull of φ's rows is the unit square.
    inside = np.asarray(((raw > EDGE) & (raw < 1 - EDGE)).all(axis=-1))
    moments = np.zeros_like(raw)
    if inside.any():
        moments[inside] = match_moments(raw[inside], PHI)
    yield "moments", "none", inside, moments
    nearest = project_frequencies(seen, matrix, np.full(len(seen), n)) @ PHI
    start = match_moments(nearest, PHI)
    everywhere = np.ones(len(seen), dtype=bool)
    yield "moments", "kl", everywhere, start
    stepped = one_scoring_step(seen, PHI, matrix, start)
    yield "one_step", "kl", everywhere, stepped
    # ASSUME: the likelihood's maximum is the better of those that scoring reaches from the projection and from 0.
    ends = [maximise_marginal(seen, PHI, matrix, origin)[0] for origin in (start, np.zeros_like(start))]
    values = [log_marginal(PHI, end, matrix, seen) for end in ends]
    best = np.where((values[0] >= values[1])[:, None], ends[0], ends[1])
    # ASSUME: log-odds beyond this are those of a maximum at infinity.
    finite = np.ptp(best @ PHI.T, axis=-1) < infinite
    yield "marginal", "none", np.asarray(finite), best
