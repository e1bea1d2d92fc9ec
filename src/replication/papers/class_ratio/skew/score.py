"""The skew study, the referee: mean error over the test mixtures, and the scale that the skew allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.class_ratio.arms import only
from replication.papers.class_ratio.sets import Sizes, mixtures, shares_of, skewed_counts
from replication.randomness import Trial
from unveil.errors import NoValidScale
from unveil.mechanisms.dirichlet_scale import dirichlet_scale
from unveil.types import Arrays

#: Mechanisms that draw from a Dirichlet, and the rule of their scale.
_RULES = {"scaled_dirichlet": "paper", "scaled_dirichlet_tight": "tight"}


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    mechanisms: Sequence[str],
    sets: Mapping[str, Any],
    rhos: Mapping[str, Any],
    steps: int,
    epsilon: float,
    delta: float,
) -> pd.DataFrame:
    """One row a data set, ρ, mechanism and trial."""
    rows = []
    learners = only(learned)
    for dataset in sets:
        size = Sizes.of(sets, dataset)
        truth = shares_of(mixtures(size.classes, steps, size.test))
        for k, rho in enumerate(rhos[dataset]):
            counts = skewed_counts(size.classes, rho, size.train)[0]
            for name in mechanisms:
                scale = _scale(counts, _RULES.get(name), epsilon, delta)
                common = {"dataset": dataset, "rho": rho, "mechanism": name}
                for number, error in enumerate(_errors(learners, f"{dataset}/{k}/{name}", truth)):
                    rows.append({**common, "trial": number, "l1_error": error, "scale": scale})
    return pd.DataFrame(rows)


def _errors(learners: Sequence[Arrays], name: str, truth: np.ndarray[Any, Any]) -> Iterator[float]:
    """Mean L1 error over draws and test mixtures, trial by trial; nan where nothing was released."""
    for arrays in learners:
        yield float(np.abs(arrays[name] - truth).sum(axis=2).mean()) if name in arrays else np.nan


def _scale(counts: np.ndarray[Any, Any], rule: str | None, epsilon: float, delta: float) -> float:
    try:
        return dirichlet_scale(counts, epsilon, delta, rule) if rule else np.nan
    except NoValidScale:
        return np.nan
