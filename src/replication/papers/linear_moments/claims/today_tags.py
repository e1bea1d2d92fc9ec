"""Tagging from counts today: the paper's two ways against what else learns from counts, and against tags."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.common.today.margins import ask
from replication.judging.claim import Claim, Matters, measure
from replication.judging.statistics import over_trials, rows
from replication.judging.verdicts import Observation, Quantifier

RIVALS = ("proportion_loss", "expectations", "posteriors")


def equal_tokens(scores: pd.DataFrame, method: str, window: int) -> pd.Series:
    """In each trial, how many tagged tokens teach as much: on the line between logarithms, within the numbers tried."""
    own = rows(at_end(scores), method=method, window=window).set_index("trial")["error"]
    tagged = rows(scores, method="supervised").pivot_table(index="trial", columns="n", values="error")
    # More tags never teach less, but for chance.
    curves = tagged.cummin(axis=1)
    numbers = np.log(curves.columns.to_numpy(dtype=float))
    found = {trial: np.exp(np.interp(-error, -curves.loc[trial].to_numpy(), numbers)) for trial, error in own.items()}
    return pd.Series(found, dtype=float)


def at_end(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows of methods that have chosen their passes."""
    return scores[scores["passes"].isna()]


def at_work(scores: pd.DataFrame, rival: str) -> pd.DataFrame:
    """Errors, trials × methods, after as much work as all passes of a rival take.

    They lie on the line between the logarithms of work; what had not begun counts as after its first look.
    """
    path = scores.dropna(subset="passes")
    budgets = path[path["method"] == rival].groupby("trial")["work"].max()

    def read(own: pd.DataFrame) -> float:
        known = own.sort_values("work")
        return float(np.interp(np.log(budgets[own["trial"].iloc[0]]), np.log(known["work"]), known["error"]))

    return path.groupby(["trial", "method"])[["trial", "work", "error"]].apply(read).unstack()  # noqa: PD010 - one value a cell


@measure
def ahead(scores: pd.DataFrame, ours: str, rivals: tuple[str, ...], equal_work: bool = False) -> list[Observation]:
    """The error of the best rival minus ours, in points, by corpus and window."""
    samples = {}
    counted = rows(scores, method=[ours, *rivals])
    for (corpus, window), own in counted.groupby(["dataset", "window"], sort=False):
        errors = at_end(own).pivot_table(index="trial", columns="method", values="error")
        best = str(errors[list(rivals)].mean().idxmin())
        if equal_work:
            errors = at_work(own, best)
        samples[f"{corpus}, windows of {window}"] = 100 * (errors[best] - errors[ours])
    return over_trials(samples)


def _claim(id_: str, what: str, short: str, ours: str, equal_work: bool = False) -> Claim:
    return ask(
        id_,
        f"From the counts of windows, {what} better than the proportion loss, generalised expectations and posterior "
        "regularisation.",
        figure="today_tags",
        measure=ahead(ours, RIVALS, equal_work=equal_work),
        quantifier=Quantifier.ALL,
        quantity="share of wrong tags, the best rival minus the method" + ", at equal work" * equal_work,
        unit="points",
        matters=Matters(1.0, "a point of accuracy, the tick of figure 7"),
        short=short,
    )


CLAIMS = (
    _claim("today-moments-from-counts", "moments tag", "Moments learn more from counts than today's rivals", "moments"),
    _claim(
        "today-likelihood-from-counts",
        "the marginal likelihood tags",
        "The marginal likelihood learns more from counts than today's rivals",
        "marginal_exact",
    ),
    _claim(
        "today-moments-at-equal-work",
        "moments at equal work tag",
        "For the same work moments learn more from counts than today's rivals",
        "moments",
        equal_work=True,
    ),
    _claim(
        "today-likelihood-at-equal-work",
        "the marginal likelihood at equal work tags",
        "For the same work the marginal likelihood learns more from counts than today's rivals",
        "marginal_exact",
        equal_work=True,
    ),
)
