"""The step-size study, the referee: accuracies as in figure 7, for every optimiser and rate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned
from replication.papers.linear_moments.fig7.score import CONTRACT, RESAMPLED, accuracies
from unveil.types import Array, Arrays

COLUMNS = [*CONTRACT, "optimizer", "rate", "held_out", "chosen", "best", *RESAMPLED]
RUN = ["corpus", "window", "estimator", "trial", "optimizer", "rate"]


def score(learned: Learned, fields: Fields) -> pd.DataFrame:
    """One row a run, evaluation and split.

    `held_out` is the error on the held-out counts; `chosen` marks, in each trial, the run of an estimator with the
    least of it, as a user would find it, `best` the one that is most accurate on the true tags of the held-out
    sentences, either averaged over the evaluations.
    """
    rows = pd.DataFrame(accuracies(learned, fields))
    # ASSUME: the mean over all evaluations, so that no number of passes is favoured.
    error = rows.groupby(RUN)["held_out"].transform("mean")
    least = error.groupby([rows[name] for name in RUN[:4]]).transform("min")
    rows["chosen"] = error == least
    # Runs that are as accurate are the same where one rate is as good as another: the first is taken.
    own = pd.DataFrame(held_out_accuracies(learned, fields)).sort_values(["accuracy", "run"], ascending=[False, True])
    first = own.drop_duplicates(RUN[:4]).assign(best=True)[[*RUN[:4], "run", "best"]]
    rows = rows.merge(first, how="left", on=[*RUN[:4], "run"])
    rows["best"] = rows["best"].eq(True)
    order = [*RUN[:3], "optimizer", "rate", "trial", "passes", "split"]
    return rows.reindex(columns=COLUMNS).sort_values(order, ignore_index=True)


def held_out_accuracies(learned: Learned, fields: Fields) -> Iterator[dict[str, Any]]:
    """How accurate each run is on the true tags of the sentences whose windows were held out, over its evaluations."""
    for trial, arrays in ((trial, arrays) for arm in learned.values() for trial, arrays in enumerate(arm)):
        for name in arrays:
            match name:
                case (str(corpus), str(estimator), int(window), int(run), "tags"):
                    text = fields[corpus]
                    tokens = _positions(text, arrays[corpus, window, "held"])
                    right = arrays[name][:, text["tokens"][tokens]] == text["tags"][tokens]
                    label = {"corpus": corpus, "window": window, "estimator": estimator, "trial": trial}
                    yield {**label, "run": run, "accuracy": float(right.mean())}


def _positions(text: Arrays, starts: Array) -> Array:
    """The positions of the sentences in which these lie."""
    ends = np.asarray(text["sentences"])
    inside = np.isin(np.arange(len(ends) - 1), np.searchsorted(ends, starts, side="right") - 1)
    return np.flatnonzero(np.repeat(inside, np.diff(ends)))
