"""Regression under local privacy today: the paper's two mechanisms against what is used now, at one exact level."""

from functools import partial

import pandas as pd

from replication.common.today.margins import ahead_of_best, ask
from replication.judging.claim import Matters, measure
from replication.judging.statistics import over_trials, rows
from replication.judging.verdicts import Observation

OURS = ("coordinate", "per_value")
LOCAL = (*OURS, "piecewise", "hybrid", "duchi_ball", "privunit")

_claim = partial(
    ask,
    unit="share of the variance",
    matters=Matters(0.02, "two hundredths of the variance, less than which figure 6 could not show"),
)


def with_all_records(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows with the most records of each data set."""
    return scores[scores["n"] == scores.groupby("dataset")["n"].transform("max")]


@measure
def all_records(scores: pd.DataFrame, ours: tuple[str, ...], rivals: tuple[str, ...]) -> list[Observation]:
    """The same with all records of each data set."""
    return list(ahead_of_best(ours, rivals)(with_all_records(scores)))


@measure
def better_than_mean(scores: pd.DataFrame, method: str) -> list[Observation]:
    """How much of the variance the method explains with all records, by data set and level."""
    own = rows(with_all_records(scores), method=method)
    return over_trials(
        {
            f"{dataset}, epsilon = {epsilon:g}": 1 - part.set_index("trial")["error"]
            for (dataset, epsilon), part in own.groupby(["dataset", "epsilon"], sort=False)
        }
    )


LEAST = _claim(
    "today-moments-least",
    "At the same exact level of a whole record, regression on products by coordinate or per-value release errs less "
    "than on those by the local mechanisms of today.",
    measure=all_records(OURS, LOCAL[2:]),
    quantity="share of variance left, the best rival minus the better of the paper's",
    short="The paper's local releases still serve regression best",
)
CLAIMS = (
    LEAST,
    _claim(
        "today-local-regression-possible",
        "Under local privacy of the whole record, regression by today's best mechanism explains some of the variance.",
        measure=better_than_mean("privunit"),
        quantity="share of variance, all of it minus what PrivUnit's regression leaves",
        short="Local privacy of whole records leaves regression some skill",
    ),
)
