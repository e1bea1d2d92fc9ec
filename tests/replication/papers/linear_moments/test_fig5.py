from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from replication import style
from replication.papers.linear_moments.fig5.draw import draw
from replication.papers.linear_moments.fig5.score import COLUMNS, score
from replication.papers.linear_moments.settings import Curve, Model

SUPERVISION = ((1 / 3, 1 / 6, 1 / 4), (1 / 3, 1 / 6, 1 / 2), (1 / 3, 2 / 3, 1 / 4))


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    model = Model(statistics=(2.0, 1.0, 0.0), supervision=SUPERVISION)
    return score({}, {}, [], Curve(model=model, theta_range=(-6.0, 6.0), points=121))


def test_curves_are_the_formula(scores: pd.DataFrame) -> None:
    assert list(scores.columns) == COLUMNS
    for row in scores.itertuples():
        weights = np.exp(row.theta * np.array([2.0, 1.0, 0.0]))
        expected = np.log(np.dot(SUPERVISION[row.o - 1], weights) / weights.sum())
        assert row.log_marginal == pytest.approx(expected)


def test_marked_points_are_stationary_and_of_their_kind(scores: pd.DataFrame) -> None:
    marked = scores[scores["kind"] != ""]
    assert list(marked["kind"]) == ["min", "min", "max"]
    for row in marked.itertuples():
        curve = scores[(scores["o"] == row.o) & (scores["kind"] == "")]
        extreme = curve["log_marginal"].max() if row.kind == "max" else curve["log_marginal"].min()
        assert_allclose(row.log_marginal, extreme, atol=1e-3)
        assert (row.log_marginal >= extreme) == (row.kind == "max")


def test_the_drawing_survives_a_round_trip_through_csv(scores: pd.DataFrame) -> None:
    # Empty kinds come back as NaN.
    with style.applied():
        figure = draw(scores.replace({"kind": {"": np.nan}}))
        assert len(figure.axes[0].lines) == 5
