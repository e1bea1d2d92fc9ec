"""Beam against exact, the referee: distances of marginals, accuracies of the taggers, and what exactness costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned, Named, under
from replication.papers.linear_moments.fig7.score import Sentences
from replication.papers.linear_moments.fig7_inference.settings import Inference

CONTRACT = ["window", "passes", "method", "total_variation", "states_median", "states_max"]
COSTS = ["states_mean", "states_p90", "transitions_mean", "probed"]
COLUMNS = [*CONTRACT, "corpus", "trial", "accuracy", *COSTS]
#: Distances where none was noted: what is exact is at none from itself.
UNNOTED = {"exact": 0.0}


def score(learned: Learned, fields: Fields) -> pd.DataFrame:
    """One row a window size, inference and evaluation.

    `total_variation` is empty for window sizes that were not probed, `accuracy` (on the test sentences) where no
    tagger was trained with that inference.
    """
    tests = {corpus: Sentences(text, "test") for corpus, text in fields.items()}
    rows = [
        {"trial": trial, **row}
        for arm in learned.values()
        for trial, arrays in enumerate(arm)
        for row in _rows(arrays, tests)
    ]
    order = ["corpus", "window", "method", "trial", "passes"]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(order, ignore_index=True)


def _rows(arrays: Named, tests: Mapping[str, Sentences]) -> Iterator[dict[str, Any]]:
    for name in arrays:
        match name:
            case (str(corpus), int(window), "states"):
                label = {"corpus": corpus, "window": window, **_costs(under(arrays, corpus, window))}
                for method in get_args(Inference):
                    notes = under(arrays, corpus, method, window)
                    for row in _compare(notes, tests[corpus], UNNOTED.get(method, np.nan)):
                        yield {**label, "method": method, **row}


def _compare(notes: Named, test: Sentences, unnoted: float) -> Iterator[dict[str, float]]:
    """An inference at each evaluation: nothing where it was neither trained with nor probed."""
    for i, passes in enumerate(notes.get("passes", ())):
        yield {
            "passes": float(passes),
            "total_variation": float(notes["distance"][i]) if "distance" in notes else unnoted,
            "accuracy": test.share(test.right(notes["tags"][i])) if "tags" in notes else np.nan,
        }


def _costs(notes: Named) -> dict[str, float]:
    states = notes["states"]
    return {
        "states_median": float(np.median(states)),
        "states_max": float(states.max()),
        "states_mean": float(states.mean()),
        "states_p90": float(np.percentile(states, 90)),
        "transitions_mean": float(notes["transitions"].mean()),
        "probed": int(notes["probed"]),
    }
