from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from replication import style
from replication.papers.linear_moments.fig4.draw import draw, place
from replication.papers.linear_moments.fig4.score import COLUMNS, equation_ends, score
from replication.papers.linear_moments.fig4.settings import Score
from replication.papers.linear_moments.settings import Model
from replication.randomness import Trial

MODEL = Model(
    statistics=(5.0, -1.0, 0.0), supervision=((1 / 3, 1 / 6, 1 / 4), (1 / 3, 1 / 6, 1 / 2), (1 / 3, 2 / 3, 1 / 4))
)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    trial = Trial(2016, "linear_moments", "fig4", "score", "score", 0)
    settings = Score(model=MODEL, theta=0.3, observations=60, theta_range=(-12.0, 12.0), points=101)
    return score({}, {}, [trial], settings)


def test_every_point_is_a_distribution_but_the_preimage(scores: pd.DataFrame) -> None:
    assert list(scores.columns) == COLUMNS
    points = scores[["p1", "p2", "p3"]].to_numpy()
    assert_allclose(points.sum(axis=1), 1)
    assert (points[scores["curve"] != "preimage"] >= -1e-12).all()


def test_family_is_the_softmax_of_its_statistics(scores: pd.DataFrame) -> None:
    family = scores[scores["curve"] == "family"]
    weights = np.exp(np.outer(family["theta"], MODEL.statistics))
    assert_allclose(family[["p1", "p2", "p3"]], weights / weights.sum(axis=1, keepdims=True))


def test_moment_equations_meet_in_the_preimage(scores: pd.DataFrame) -> None:
    matrix = np.array(MODEL.supervision)
    preimage = scores.loc[scores["curve"] == "preimage", ["p1", "p2", "p3"]].to_numpy()[0]
    for o in (0, 1):
        ends = scores.loc[scores["curve"] == f"equation {o + 1}", ["p1", "p2", "p3"]].to_numpy()
        assert_allclose(ends @ matrix[o], matrix[o] @ preimage)


def test_a_line_beside_the_simplex_has_no_ends() -> None:
    assert equation_ends(np.array([0.2, 0.3, 0.4]), 0.9) == []
    assert len(equation_ends(np.array([0.2, 0.3, 0.4]), 0.25)) == 2


def test_the_drawing_shows_the_simplex_twice(scores: pd.DataFrame) -> None:
    with style.applied():
        assert len(draw(scores).axes) == 2
    assert_allclose(place(scores[scores["curve"] == "truth"]).shape, (1, 2))
