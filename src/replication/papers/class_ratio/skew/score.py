"""The skew study, the referee: mean error over the test mixtures, and the scale that the skew allows."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import pandas as pd

from replication.arrays import Learned
from replication.papers.class_ratio.fig3.score import outcomes
from replication.papers.class_ratio.fig3.settings import Designed
from unveil.errors import NoValidScale
from unveil.mechanisms.dirichlet_scale import dirichlet_scale

#: Mechanisms that draw from a Dirichlet, and the rule of their scale.
RULES: Mapping[str, str] = {"scaled_dirichlet": "paper", "scaled_dirichlet_tight": "tight"}


def score(learned: Learned, settings: Designed) -> pd.DataFrame:
    """One row a data set, ρ, mechanism and trial; the attack guesses the commonest class of a member's set."""

    @cache
    def scale(counts: tuple[int, ...], mechanism: str) -> float:
        if mechanism not in RULES:
            return np.nan
        try:
            return dirichlet_scale(np.array(counts), settings.epsilon, settings.delta, RULES[mechanism])
        except NoValidScale:
            return np.nan

    table = pd.DataFrame(
        {
            "dataset": found.dataset,
            "rho": found.rho,
            "mechanism": found.mechanism,
            "trial": found.trial,
            "l1_error": found.mean,
            "scale": scale(tuple(found.design.train[0]), found.mechanism),
            "attack_accuracy": found.design.train.max(axis=1).sum() / found.design.train.sum(),
        }
        for found in outcomes(learned, settings)
    )
    # All trials of a mechanism stand together.
    groups = table.groupby(["dataset", "rho", "mechanism"], sort=False).ngroup()
    return table.iloc[np.argsort(groups, kind="stable")]
