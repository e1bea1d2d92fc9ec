"""Draw figure 3: accuracy on clean digits against the flip probability."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS

PAPER = ["clean", "noisy", "spread_flat", "spread_learned", "spread_true"]
STRONG = ["noisy_l2_centred", "class_means", "spread_centred"]
#: What the estimator with a learned prior is held against.
RIVALS = ["noisy", "spread_flat", "spread_true", "noisy_l2_centred", "class_means"]


def draw(scores: pd.DataFrame) -> Figure:
    """The paper's panel alone, its methods trained as it says."""
    return alone(scores, PAPER)


def alone(scores: pd.DataFrame, methods: Sequence[str]) -> Figure:
    """One panel of methods that were trained until convergence, named at their ends."""
    ends = scores[scores["protocol"] == "converged"]
    figure, axes = style.panels(height=3.6)
    draw_accuracies(axes[0, 0], ends, methods)
    axes[0, 0].set_ylabel("accuracy on clean digits")
    style.label_ends(axes[0, 0])
    style.finish(figure)
    return figure


def draw_accuracies(axes: Axes, scores: pd.DataFrame, methods: Sequence[str]) -> None:
    """One curve a method."""
    for method in methods:
        style.curve(axes, scores[scores["method"] == method], "p_flip", "accuracy", METHODS[method])
    axes.set(xlabel="flip probability", xticks=sorted(scores["p_flip"].unique()))
