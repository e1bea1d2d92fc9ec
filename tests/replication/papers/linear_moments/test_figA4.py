from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from replication import style
from replication.papers.linear_moments.figA4.draw import draw
from replication.papers.linear_moments.figA4.score import COLUMNS, score
from replication.papers.linear_moments.figA4.settings import Score


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    settings = Score(
        dimensions=(10, 100, 1000),
        densities=(0.01, 0.1, 0.3, 1.0),
        fills=(0.3, 1.0),
        sizes=(0.5, 1.0),
        alphas=(0.1, 1.0, 10.0),
    )
    return score({}, {}, [], settings)


def test_columns_and_forms_are_the_contract(scores: pd.DataFrame) -> None:
    assert list(scores.columns[:7]) == COLUMNS[:7]
    assert set(scores["form"]) == {"exact", "printed", "small_alpha", "small_alpha_corrected"}
    assert np.isfinite(scores.drop(columns="crossover").select_dtypes("number")).all(axis=None)
    assert (scores["crossover"] >= 1).all()
    assert (scores["trace"] > 0).all()


def test_printed_and_exact_agree_for_binary_statistics_only(scores: pd.DataFrame) -> None:
    keys = ["scheme", "size", "d", "delta_bar", "mean_norm", "alpha"]
    wide = scores.pivot_table(index=keys, columns="form", values="trace")
    for scheme in ("coordinate", "per_value"):
        assert_allclose(wide.loc[scheme, 1.0]["printed"], wide.loc[scheme, 1.0]["exact"])
        assert (wide.loc[scheme, 0.5]["printed"] < wide.loc[scheme, 0.5]["exact"]).all()


def test_sparse_wants_per_value_and_dense_wants_coordinate(scores: pd.DataFrame) -> None:
    exact = scores[(scores["form"] == "exact") & (scores["alpha"] == 1.0) & (scores["d"] == 100)]
    table = exact[exact["size"] == 1.0].pivot_table(index=["delta_bar", "mean_norm"], columns="scheme", values="trace")
    wins = table["per_value"] < table["coordinate"]
    assert wins.loc[1.0].all()
    assert not wins.loc[100.0].any()


def test_the_drawing_has_four_panels(scores: pd.DataFrame) -> None:
    with style.applied():
        assert len(draw(scores).axes) == 4
