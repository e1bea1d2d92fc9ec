"""The bounds against experiments, the referee: Theorem 1 and Lemmas 2 and 4, the limit (11), and the prior's floor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import lgamma
from typing import Any

import numpy as np
import pandas as pd

from replication.arrays import Fields, Named, under
from replication.papers.class_ratio.sets import shares_of
from replication.papers.class_ratio.theory.designs import designs
from replication.papers.class_ratio.theory.settings import Asymptotics, Prior, Score
from replication.randomness import Trial
from unveil.mechanisms.dirichlet_scale import dirichlet_scales
from unveil.privacy.pair import loss_tails
from unveil.theory.class_ratio_bounds import (
    LeastSquares,
    asymptotic_delta,
    lemma2,
    lemma4,
    multinomial_prior_floor,
    theorem1,
)
from unveil.types import Array


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Score
) -> pd.DataFrame:
    """One row a bound and trial; rows without a data set are exact, with n the total count or the number of classes."""
    rows = [*_asymptotics(settings.asymptotics), *_prior_floor(settings.prior)]
    for dataset in settings.sets:
        for k, (n, design) in enumerate(designs(settings, dataset)):
            truth, proportions = shares_of(design.tests[0]), shares_of(design.train)
            scales = dirichlet_scales(design.train, settings.epsilon, settings.delta, "tight")
            for number, arrays in enumerate(learned["mmd"]):
                common = {"dataset": dataset, "n": n, "trial": number}
                found = under(arrays, dataset, k)
                bounds = _bounds(found, proportions, truth, n, scales, settings.failure)
                rows += [{**common, "quantity": name, "bound": b, "actual": a} for name, b, a in bounds]
    columns = ["dataset", "n", "quantity", "trial", "bound", "actual"]
    return pd.DataFrame(rows).reindex(columns=columns).astype({"trial": "Int64"})


def _bounds(
    found: Named, proportions: Array, truth: Array, n: int, scales: Array, failure: float
) -> Iterator[tuple[str, float, float]]:
    """Each bound and what it bounds; with as many sets as classes α* is known, P'α* = ρ."""
    problem = LeastSquares(found["gram"], found["cross"], float(found["square"]))
    best = np.linalg.solve(proportions.T, truth)
    error = float(np.linalg.norm(found["estimate"] - truth))
    distance = float(np.linalg.norm(found["weights"] - best))
    sets = np.full(len(proportions), n)
    yield "theorem_1", theorem1(problem, proportions, sets, n, failure), error
    yield "lemma_2_printed", lemma2(problem, found["weights"], best, corrected=False), distance
    yield "lemma_2_corrected", lemma2(problem, found["weights"], best, corrected=True), distance
    if "veiled" in found:
        veiled = float(np.linalg.norm(found["veiled"] - proportions))
        yield "lemma_4", lemma4(proportions, scales, sets, failure), veiled


def _asymptotics(settings: Asymptotics) -> Iterator[dict[str, Any]]:
    """(11) along σ = m^−exponent, ε = κσ, both of which vanish: the limit against the exact tail (9)."""
    shares = np.asarray(settings.proportions, dtype=float)
    i, j = np.nonzero(~np.eye(len(shares), dtype=bool))
    for total in settings.totals:
        scale = float(total) ** -settings.exponent
        counts, epsilon = shares * total, settings.kappa * scale
        actual = float(loss_tails(counts[i], counts[j], scale, epsilon).max())
        bound = asymptotic_delta(shares, total, scale, epsilon)
        yield {"n": int(total), "quantity": "asymptotic_delta", "bound": bound, "actual": actual}


def _prior_floor(settings: Prior) -> Iterator[dict[str, Any]]:
    """The floor on ε of releasing draws from a posterior, against the loss at the worst sample itself."""
    draws, mass = settings.draws, settings.mass
    for count in settings.classes:
        a = mass / count
        present = lgamma(1 + a + draws) - lgamma(1 + a)
        absent = lgamma(a + draws) - lgamma(a)
        floor = multinomial_prior_floor(draws, mass, count)
        yield {"n": count, "quantity": "prior_floor", "bound": floor, "actual": present - absent}
