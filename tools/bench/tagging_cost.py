"""Figure 7's taggers against the seconds that training takes; figure 7_cost has the same against counted work."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication.engine.task import load_fields
from replication.papers.linear_moments.fig7.learn import TAGGERS
from replication.papers.linear_moments.fig7_cost import draw as work
from replication.randomness import generator
from tools.bench.inputs import cut_windows
from unveil.estimators.counts.count_tagger import CountTagger
from unveil.types import Arrays, Floats

COLUMNS = ["window", "estimator", "trial", "passes", "seconds", "accuracy"]
#: Whose first step is itself a training of many passes.
SLOW = ("moments_sgd_two_all",)
WINDOWS: tuple[int, ...] = (5, 10, 20, 0)
#: The windows of each estimator; 0 is the whole sentence, whose exact sums are too many.
ESTIMATORS = {name: (5, 10, 20) if name == "marginal_exact" else WINDOWS for name in work.SHOWN if name not in SLOW}
#: Passes over the windows after which words are tagged.
EVALUATE_AT = (0.01, 0.03, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0)


def measured(seed: int, paths: Sequence[str]) -> pd.DataFrame:
    """Accuracy on the test sentences against the seconds until then, on the prepared Treebank in these files."""
    text = load_fields(paths)["treebank"]
    asked = [(name, window) for window in WINDOWS for name, windows in ESTIMATORS.items() if window in windows]
    return pd.DataFrame([row for pair in asked for row in curve(text, *pair, seed)], columns=COLUMNS)


def curve(
    text: Arrays, estimator: str, window: int, seed: int, evaluate_at: Sequence[float] = EVALUATE_AT
) -> Iterator[tuple[int, str, int, float, float, float]]:
    """One tagger's accuracies; the same windows and order for all."""
    windows, counts = cut_windows(text, window or None, generator(seed, "bench", "windows", window))
    given = {**TAGGERS[estimator], "n_tags": len(text["tag_names"]), "step1_tolerance": 0.01, "random_state": 0}
    tagger = CountTagger(**given, passes=0.01).fit(windows, counts)  # compiles
    tagger.set_params(passes=max(evaluate_at), evaluate_at=evaluate_at).fit(windows, counts)
    # A word is always tagged alike.
    test: Floats = np.repeat(text["split"] == 1, np.diff(text["sentences"]))
    for passes, seconds, tags in zip(evaluate_at, tagger.seconds_, tagger.snapshots_, strict=True):
        right = np.mean(tags[text["tokens"][test]] == text["tags"][test])
        yield window, estimator, 0, passes, float(seconds), float(right)


def draw(table: pd.DataFrame) -> Figure:
    """The figure of counted work, with seconds along the axis."""
    figure = work.draw(table.rename(columns={"seconds": "work"}))
    for axes in figure.axes:
        if axes.get_xlabel():
            axes.set_xlabel("seconds of training")
    return figure
