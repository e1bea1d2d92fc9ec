from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from replication import style
from replication.papers.linear_moments.settings import Supervision
from replication.papers.linear_moments.trap.draw import draw
from replication.papers.linear_moments.trap.score import COLUMNS, score
from replication.papers.linear_moments.trap.settings import Case, Score
from replication.randomness import Trial

pytestmark = pytest.mark.slow


def told(share: float) -> Supervision:
    return tuple(tuple(share * (o == y) + (1 - share) / 3 for y in range(3)) for o in range(3))


SETTINGS = Score(
    cases={
        "figure_5": Case(
            statistics=(2.0, 1.0, 0.0),
            theta=-1.25,
            actual=((1 / 3, 1 / 6, 1 / 4), (1 / 3, 1 / 6, 1 / 2), (1 / 3, 2 / 3, 1 / 4)),
        ),
        "misspecified": Case(statistics=(2.0, 1.0, 0.0), theta=1.2, actual=told(0.7), believes=told(0.5)),
    },
    theta_range=(-10.0, 10.0),
    points=101,
    starts=11,
    em_steps=1500,
    sizes=(10**5, 10**7),
)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    trials = [Trial(1, "linear_moments", "trap", "score", "score", number) for number in range(8)]
    return score({}, {}, trials, SETTINGS)


def test_em_ends_in_both_maxima_and_moments_in_the_truth(scores: pd.DataFrame) -> None:
    assert list(scores.columns) == COLUMNS
    own = scores[(scores["case"] == "figure_5") & np.isinf(scores["n"])]
    maxima = own.loc[own["method"] == "max", "theta"].to_numpy()
    assert len(maxima) == 2
    for method in ("em", "scoring"):
        ends = own.loc[own["method"] == method, "theta"].to_numpy()
        assert_allclose(np.abs(ends[:, None] - maxima).min(axis=1), 0, atol=1e-2)
        assert len(np.unique(np.round(ends))) == 2
    assert own.loc[own["method"] == "moments", "theta"].item() == pytest.approx(-1.25, abs=1e-8)
    assert own.loc[own["method"] == "marginal", "theta"].item() == pytest.approx(-1.25, abs=1e-8)


def test_the_gap_stays_where_supervision_is_wrong(scores: pd.DataFrame) -> None:
    sampled = scores[scores["trial"].notna()]
    pairs = sampled.pivot_table(index=["case", "n", "trial"], columns="method", values="theta")
    gap = (pairs["marginal"] - pairs["moments"]).abs().groupby(["case", "n"]).mean()
    assert gap["misspecified", 1e7] == pytest.approx(gap["misspecified", 1e5], rel=0.1)
    assert gap["misspecified", 1e7] > 0.5
    # n grows a hundredfold, so the gap shrinks about tenfold.
    assert gap["figure_5", 1e7] < gap["figure_5", 1e5] / 3
    assert gap["figure_5", 1e7] < 0.02


def test_nothing_explains_the_misspecified_population(scores: pd.DataFrame) -> None:
    """The condition of section 6: no distribution over y has Sp = q*."""
    p = np.exp(1.2 * np.array([2.0, 1.0, 0.0]))
    q = np.array(told(0.7)) @ (p / p.sum())
    assert np.linalg.solve(told(0.5), q).min() < -0.01


def test_the_drawing_has_a_panel_a_trap_and_one_of_gaps(scores: pd.DataFrame) -> None:
    with style.applied():
        figure = draw(scores)
        assert len(figure.axes) == 2
