"""Beam against exact, the referee: distances of marginals, accuracies of the taggers, and what exactness costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from replication.papers.linear_moments.fig7.score import accuracy, word_tag_counts
from replication.randomness import Trial
from unveil.types import Array, Arrays, Floats

CONTRACT = ["window", "passes", "method", "total_variation", "states_median", "states_max"]
COLUMNS = [
    *CONTRACT,
    "corpus",
    "trial",
    "accuracy",
    "states_mean",
    "states_p90",
    "transitions_mean",
    "probed",
]


def score(
    learned: Mapping[str, Sequence[Arrays]], fields: Mapping[str, Arrays], trials: Sequence[Trial]
) -> pd.DataFrame:
    """One row a window size, inference and evaluation.

    `total_variation` is empty for window sizes that were not probed, `accuracy` (on the test sentences) where no
    tagger was trained with that inference.
    """
    tests = {corpus: word_tag_counts(text)["test"] for corpus, text in fields.items()}
    rows = [
        {"trial": trial, **row}
        for arm in learned.values()
        for trial, arrays in enumerate(arm)
        for row in _rows(arrays, tests[str(arrays["corpus"])])
    ]
    order = ["corpus", "window", "method", "trial", "passes"]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(order, ignore_index=True)


def _rows(arrays: Arrays, truth: Array) -> Iterator[dict[str, Any]]:
    for window in (int(name.removeprefix("states_")) for name in arrays if name.startswith("states_")):
        states = _costs(arrays, window)
        for method in ("exact", "beam", "merged"):
            tags = arrays.get(f"tags_{method}_{window}")
            distances = _distances(arrays, method, window)
            if tags is None and distances is None:
                continue
            for i, passes in enumerate(arrays["passes"]):
                yield {
                    **states,
                    "corpus": str(arrays["corpus"]),
                    "window": window,
                    "passes": float(passes),
                    "method": method,
                    "total_variation": np.nan if distances is None else float(distances[i]),
                    "accuracy": np.nan if tags is None else accuracy(truth, tags[i]),
                    "probed": int(arrays[f"probed_{window}"]),
                }


def _distances(arrays: Arrays, method: str, window: int) -> Floats | None:
    """Distance of the method's marginals from exact ones; exact is at 0 from itself."""
    if method == "exact":
        return np.zeros(len(arrays["passes"])) if f"tags_exact_{window}" in arrays else None
    return arrays.get(f"distance_{method}_{window}")


def _costs(arrays: Arrays, window: int) -> dict[str, float]:
    states, transitions = arrays[f"states_{window}"], arrays[f"transitions_{window}"]
    return {
        "states_median": float(np.median(states)),
        "states_max": float(states.max()),
        "states_mean": float(states.mean()),
        "states_p90": float(np.percentile(states, 90)),
        "transitions_mean": float(transitions.mean()),
    }
