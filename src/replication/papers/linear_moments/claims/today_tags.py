"""Tagging from counts today: the paper's two ways against what else learns from counts, and against tags."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.judging.claim import ALL, Claim, Matters, Origin, measure
from replication.judging.statistics import over_trials, rows
from replication.judging.verdicts import Observation, Quantifier

RIVALS = ("proportion_loss", "expectations", "posteriors")
POINT = Matters(1.0, "a point of accuracy, the tick of figure 7")


def equal_tokens(scores: pd.DataFrame, method: str, window: int) -> pd.Series:
    """In each trial, how many tagged tokens teach as much: on the line between logarithms, within the numbers tried."""
    own = rows(scores, method=method, window=window).set_index("trial")["error"]
    tagged = rows(scores, method="supervised").pivot_table(index="trial", columns="n", values="error")
    # More tags never teach less, but for chance.
    curves = tagged.cummin(axis=1)
    numbers = np.log(curves.columns.to_numpy(dtype=float))
    found = {trial: np.exp(np.interp(-error, -curves.loc[trial].to_numpy(), numbers)) for trial, error in own.items()}
    return pd.Series(found, dtype=float)


@measure
def ahead(scores: pd.DataFrame, ours: str, rivals: tuple[str, ...]) -> list[Observation]:
    """The error of the best rival minus ours, in points, by window."""
    samples = {}
    for window in sorted(set(scores["window"]) - {0}):
        part = rows(scores, window=window, method=[ours, *rivals]).pivot_table(
            index="trial", columns="method", values="error"
        )
        best = part[list(rivals)].mean().idxmin()
        samples[f"windows of {window}"] = 100 * (part[best] - part[ours])
    return over_trials(samples)


def _ask(id_: str, statement: str, short: str, ours: str, rivals: tuple[str, ...]) -> Claim:
    return Claim(
        id=id_,
        statement=statement,
        place="beyond the paper",
        figure="today_tags",
        measure=ahead(ours, rivals),
        quantifier=Quantifier.ALL,
        quantity="share of wrong tags, the best rival minus the method",
        unit="points",
        matters=POINT,
        datasets=ALL,
        origin=Origin.BEYOND,
        short=short,
    )


CLAIMS = (
    _ask(
        "today-moments-from-counts",
        "From the counts of windows, moments tag better than the proportion loss, generalised expectations and "
        "posterior regularisation.",
        "Moments learn more from counts than today's rivals",
        "moments",
        RIVALS,
    ),
    _ask(
        "today-likelihood-from-counts",
        "From the counts of windows, the marginal likelihood tags better than the proportion loss, generalised "
        "expectations and posterior regularisation.",
        "The marginal likelihood learns more from counts than today's rivals",
        "marginal_exact",
        RIVALS,
    ),
)
