"""An exact release gives labels away; a private one does not, beyond its promise."""

from __future__ import annotations

from math import inf

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from checks import FALSE_ALARM
from mean_operator_world import fields, walk
from stages import drawn
from unveil.estimators.statistics.label_reconstruction import reconstruct_labels
from unveil.mechanisms.mean_operator import MeanOperatorRelease

SETTINGS = {"records_per_feature": [0.5, 1.0, 4.0], "alphas": [0.3, 3.0, inf]}
ARMS = {name: {**SETTINGS, "dataset": name} for name in fields()}
TRIALS = 3


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    return walk("reconstruction", ARMS, TRIALS)[1]


def test_columns_and_cells_are_complete(scores: pd.DataFrame) -> None:
    assert scores.notna().all().all()
    assert len(scores) == 3 * TRIALS * 3 * 3


def test_exact_release_is_read_back_where_equations_suffice(scores: pd.DataFrame) -> None:
    exact = scores[(scores["alpha"] == inf) & (scores["m"] <= scores["d"]) & (scores["dataset"] != "census")]
    assert exact["recovered"].eq(1).all()


def test_the_attack_reads_back_no_more_than_the_level_allows() -> None:
    """For labels that the features tell nothing about, at most e^α/(1 + e^α) of them in the mean."""
    rng, alpha = np.random.default_rng(3), 1.0
    recovered = []
    for _ in range(1500):
        X, y = rng.normal(size=(6, 8)), rng.choice([-1, 1], 6)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        mechanism = MeanOperatorRelease(alpha, "gamma")
        released = mechanism.release(X, y, rng)
        recovered.append(np.mean(reconstruct_labels(X, released, 2 * mechanism.scale(6, 8)) == y))
    limit = 1 / (1 + np.exp(-alpha)) + stats.norm.isf(FALSE_ALARM) * np.std(recovered) / np.sqrt(len(recovered))
    assert 0.52 < np.mean(recovered) < limit


def test_figure_draws(scores: pd.DataFrame) -> None:
    assert len(drawn("mean_operator.reconstruction", scores).axes) == 6
