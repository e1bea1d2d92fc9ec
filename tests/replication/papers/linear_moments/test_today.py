"""Regression from products under local privacy: one estimator, every mechanism."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import stages
from checks import assert_mean
from replication.arrays import Named
from replication.papers.linear_moments.today.learn import regress
from replication.papers.linear_moments.today.records import NOISE, WEIGHTS, draw_linear, multiply
from replication.papers.linear_moments.today.release import MECHANISMS

ASKED = {"epsilons": (4.0, 400.0), "mechanisms": list(MECHANISMS), "sizes": {"linear": (500, 20_000)}}


@pytest.mark.parametrize("name", MECHANISMS)
def test_totals_are_unbiased_and_their_squares_tell_their_noise(name: str) -> None:
    records, rng = multiply(draw_linear(400, np.random.default_rng(0))), np.random.default_rng(1)
    found = [MECHANISMS[name](records, 4.0, rng) for _ in range(300)]
    totals = np.array([sums for sums, _ in found])
    assert_mean(totals, records.sum(axis=0))
    told = np.mean([squares for _, squares in found])
    own = (records**2).mean(axis=1).sum()
    assert totals.var(axis=0).mean() == pytest.approx(told - own, rel=0.1)


def test_a_record_moves_the_curators_sums_by_no_more_than_said() -> None:
    records = multiply(np.array([[1, 1, 1, -1], [1, -1, -1, 1.0]]))
    assert np.abs(records[0] - records[1]).sum() <= 2 * records.shape[1]


def test_exact_means_give_least_squares() -> None:
    records = draw_linear(5000, np.random.default_rng(2))
    expected = np.linalg.lstsq(records[:, :-1], records[:, -1], rcond=None)[0]
    halves = np.stack([np.append(multiply(records[k::2]).mean(axis=0), 0.0) for k in (0, 1)])
    assert regress(halves) == pytest.approx(expected)


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """Two trials on the synthetic records."""
    place = "linear_moments.today"
    learned: dict[str, list[Named]] = {"private": []}
    for number in range(2):
        released = stages.run(place, "release", "records", number, [{}], ASKED)
        learned["private"].append(stages.run(place, "learn", "private", number, [{"records": released}, {}], ASKED))
    return stages.scored(place, 2, ASKED, learned)


def test_errors_fall_with_records_and_levels_to_that_of_least_squares(scores: pd.DataFrame) -> None:
    means = scores.groupby(["method", "epsilon", "n"])["error"].mean()
    floor = means["least_squares"].iloc[0]
    assert floor == pytest.approx(NOISE**2 / ((WEIGHTS**2).sum() + NOISE**2), rel=0.05)
    assert means["curator", 400.0, 20_000] < floor + 0.01
    assert means["privunit", 400.0, 20_000] < means["privunit", 4.0, 500]


def test_the_picture_and_its_table(scores: pd.DataFrame) -> None:
    stages.drawn("linear_moments.today", scores)
    table = stages.module("linear_moments.today", "draw").table(scores)
    assert len(table) == len(MECHANISMS) + 1
