"""The bounds against experiments, the referee: Theorem 1 and Lemmas 2 and 4, the limit (11), and the prior's floor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import lgamma
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.class_ratio.arms import only, part
from replication.papers.class_ratio.sets import mixture_counts, shares_of, skewed_counts
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
from unveil.types import Array, Arrays


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    sizes: Mapping[str, Any],
    classes: Mapping[str, Any],
    rho: float,
    test_share: float,
    epsilon: float,
    delta: float,
    failure: float,
    asymptotics: Mapping[str, Any],
    prior: Mapping[str, Any],
) -> pd.DataFrame:
    """One row a bound and trial; rows without a data set are exact, with n the total count or the number of classes."""
    rows = [*_asymptotics(**asymptotics), *_prior_floor(**prior)]
    learners = only(learned)
    for dataset in sizes:
        for n in sizes[dataset]:
            train = skewed_counts(classes[dataset], rho, n)
            truth = shares_of(mixture_counts(classes[dataset], test_share / classes[dataset], n))
            scales = dirichlet_scales(train, epsilon, delta, "tight")
            for number, arrays in enumerate(learners):
                common = {"dataset": dataset, "n": n, "trial": number}
                bounds = _bounds(part(arrays, dataset, n), shares_of(train), truth, n, scales, failure)
                rows += [{**common, "quantity": name, "bound": b, "actual": a} for name, b, a in bounds]
    columns = ["dataset", "n", "quantity", "trial", "bound", "actual"]
    return pd.DataFrame(rows).reindex(columns=columns).astype({"trial": "Int64"})


def _bounds(
    found: Arrays, proportions: Array, truth: Array, n: int, scales: Array, failure: float
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
    if "scaled_dirichlet_tight" in found:  # else the sets are too small for a scale
        veiled = float(np.linalg.norm(found["scaled_dirichlet_tight"][0] - proportions))
        yield "lemma_4", lemma4(proportions, scales, sets, failure), veiled


def _asymptotics(
    proportions: Sequence[float], kappa: float, exponent: float, totals: Sequence[float]
) -> Iterator[dict[str, Any]]:
    """(11) along σ = m^−exponent, ε = κσ, both of which vanish: the limit against the exact tail (9)."""
    shares = np.asarray(proportions, dtype=float)
    i, j = np.nonzero(~np.eye(len(shares), dtype=bool))
    for total in totals:
        scale = float(total) ** -exponent
        counts = shares * total
        actual = float(loss_tails(counts[i], counts[j], scale, kappa * scale).max())
        bound = asymptotic_delta(shares, total, scale, kappa * scale)
        yield {"n": int(total), "quantity": "asymptotic_delta", "bound": bound, "actual": actual}


def _prior_floor(draws: int, mass: float, classes: Sequence[int]) -> Iterator[dict[str, Any]]:
    """The floor on ε of releasing draws from a posterior, against the loss at the worst sample itself."""
    for count in classes:
        a = mass / count
        present = lgamma(1 + a + draws) - lgamma(1 + a)
        absent = lgamma(a + draws) - lgamma(a)
        floor = multinomial_prior_floor(draws, mass, count)
        yield {"n": count, "quantity": "prior_floor", "bound": floor, "actual": present - absent}
