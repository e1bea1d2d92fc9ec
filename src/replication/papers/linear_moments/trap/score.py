"""Where marginal likelihood is caught by a spurious maximum, and where a wrong S parts the estimators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from replication.papers.linear_moments.simplex import global_maximum, stationary_points
from replication.papers.linear_moments.trap.settings import Case, Score
from replication.randomness import Trial
from unveil.estimators.moments.solvers import maximise_marginal, maximise_marginal_em, moment_estimate
from unveil.theory.finite_models import log_marginal, probabilities
from unveil.types import Floats

COLUMNS = ["case", "start", "method", "theta", "objective", "n", "trial"]
Row = dict[str, Any]


class Trap(NamedTuple):
    """A one-parameter model, what the learner believes of its supervision, and the population it meets."""

    name: str
    phi: Floats
    believed: Floats
    population: Floats


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """Population curves, EM and scoring from many starts, and both estimators on growing samples.

    `n` is infinite for the population. Methods: curve, max and min (of the curve), em, scoring, moments, marginal (the
    global maximum).
    """
    low, high = settings.theta_range
    rows: list[Row] = []
    for name, given in settings.cases.items():
        case = _trap(name, given)
        if given.believes is None:
            rows += _landscape(case, low, high, settings.points)
            rows += _climbs(case, np.linspace(low, high, settings.starts) * 0.9, settings.em_steps)
        rows += _both(case, case.population, low, high, {"n": np.inf})
        for trial in trials:
            rows += _samples(case, trial, low, high, settings.sizes)
    return pd.DataFrame(rows, columns=COLUMNS).astype({"trial": "Int64"})


def _trap(name: str, case: Case) -> Trap:
    phi = np.array(case.statistics, dtype=float)[:, None]
    actual = np.array(case.actual, dtype=float)
    believed = actual if case.believes is None else np.array(case.believes, dtype=float)
    return Trap(name, phi, believed, actual @ probabilities(phi, np.array([case.theta])))


def _objective(case: Trap, theta: Floats, frequencies: Floats) -> Floats:
    return log_marginal(case.phi, theta[:, None], case.believed, frequencies)


def _landscape(case: Trap, low: float, high: float, points: int) -> Iterable[Row]:
    """The population's log-marginal and its stationary points."""
    marked = [(float(theta), "curve") for theta in np.linspace(low, high, points)]
    marked += stationary_points(case.phi, case.believed, case.population, low, high)
    values = _objective(case, np.array([theta for theta, _ in marked]), case.population)
    for (theta, method), value in zip(marked, values, strict=True):
        yield {"case": case.name, "method": method, "theta": theta, "objective": value, "n": np.inf}


def _climbs(case: Trap, starts: Floats, em_steps: int) -> Iterable[Row]:
    """Where EM and Fisher scoring end from each start, on the population itself."""
    origins = starts[:, None]
    ends = {
        "em": maximise_marginal_em(case.population, case.phi, case.believed, origins, em_steps),
        "scoring": maximise_marginal(case.population, case.phi, case.believed, origins),
    }
    for method, (thetas, values) in ends.items():
        for start, theta, value in zip(starts, thetas[:, 0], values, strict=True):
            row = {"case": case.name, "start": start, "method": method, "theta": theta, "objective": value}
            yield {**row, "n": np.inf}


def _both(case: Trap, frequencies: Floats, low: float, high: float, label: Row) -> Iterable[Row]:
    """Moments, which have no start, and the best that marginal likelihood could do."""
    moments = moment_estimate(frequencies, case.phi, case.believed)
    best = global_maximum(case.phi, case.believed, frequencies, low, high, grid=201)
    thetas = np.array([moments[0], best])
    values = _objective(case, thetas, frequencies)
    for method, theta, value in zip(("moments", "marginal"), thetas, values, strict=True):
        yield {**label, "case": case.name, "method": method, "theta": theta, "objective": value}


def _samples(case: Trap, trial: Trial, low: float, high: float, sizes: Sequence[int]) -> Iterable[Row]:
    for n in sizes:
        frequencies = trial.rng_of(case.name, n).multinomial(n, case.population) / n
        yield from _both(case, frequencies, low, high, {"n": float(n), "trial": trial.number})
