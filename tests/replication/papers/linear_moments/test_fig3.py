from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from replication import style
from replication.papers.linear_moments.fig3.draw import draw
from replication.papers.linear_moments.fig3.score import COLUMNS, score
from replication.papers.linear_moments.fig3.settings import Score
from replication.randomness import Trial
from unveil.errors import UnveilError


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    settings = Score(
        signals={"weak": (2.0, -0.1), "strong": (5.0, -1.0)},
        epsilons=(0.2, 0.6, 1.0),
        replications=2_000,
        groups=20,
        sample_size=10**10,
    )
    return score({}, {}, [Trial(1, "linear_moments", "fig3", "score", "", 0)], settings)


def test_the_jackknife_needs_whole_groups() -> None:
    with pytest.raises(UnveilError, match="replications must be a multiple of groups"):
        Score(signals={}, epsilons=(), replications=2_001, groups=20, sample_size=10)


def wide(scores: pd.DataFrame, column: str = "value") -> pd.DataFrame:
    keys = ["signal", "epsilon", "quantity", scores["coordinate"].fillna(-1)]
    return scores.pivot_table(index=keys, columns="source", values=column)


def test_columns_are_the_contract(scores: pd.DataFrame) -> None:
    assert list(scores.columns) == COLUMNS
    assert set(scores["source"]) == {"exact", "closed_form", "monte_carlo"}


def test_closed_forms_equal_enumeration(scores: pd.DataFrame) -> None:
    table = wide(scores)
    assert len(table) == 2 * 3 * 5
    assert_allclose(table["closed_form"], table["exact"], rtol=1e-9)


def test_simulation_agrees_with_the_exact_values(scores: pd.DataFrame) -> None:
    table = wide(scores)
    half = wide(scores, "high")["monte_carlo"] - table["monte_carlo"]
    # 30 jackknife t-statistics on 19 degrees of freedom: |t| < 8.5 at a false-alarm rate of 1e-6.
    assert np.all(np.abs(table["monte_carlo"] - table["exact"]) <= 8.5 / 2.09 * half + 1e-6)
    assert np.all(half / table["exact"] < 0.1)


def test_efficiency_falls_towards_a_positive_limit(scores: pd.DataFrame) -> None:
    exact = scores[(scores["quantity"] == "efficiency") & (scores["source"] == "exact")]
    limits = exact.groupby("signal")["limit"].first()
    for signal, curve in exact.groupby("signal"):
        assert np.all(np.diff(curve.sort_values("epsilon")["value"]) > 0)
        assert 0.5 < limits[signal] < curve["value"].min()
    assert limits["strong"] < limits["weak"]


def test_the_drawing_has_both_panels(scores: pd.DataFrame) -> None:
    with style.applied():
        figure = draw(scores)
        assert [axis.get_title(loc="left") for axis in figure.axes] == ["(a) weak signal", "(b) strong signal"]
