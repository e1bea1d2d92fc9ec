"""Draw figure 3."""

from itertools import pairwise

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS

PAPER = ["clean", "noisy", "spread_flat", "spread_learned", "spread_true"]
STRONG = ["noisy_l2_centred", "class_means", "spread_centred"]
#: What the estimator with a learned prior is held against.
RIVALS = ["noisy", "spread_flat", "spread_true", "noisy_l2_centred", "class_means"]


def draw(scores: pd.DataFrame) -> Figure:
    """The paper's panel first; what it lacks; then as many steps for all; last the paired differences."""
    ends, steps = (scores[scores["protocol"] == name] for name in ("converged", "steps"))
    counts = sorted(steps["iterations"].unique())
    figure, alone = style.panels(width=style.PAGE, height=6.9)
    alone[0, 0].remove()
    grid = figure.add_gridspec(3, 3)
    lowest = ends.groupby(["method", "p_flip"])["accuracy"].mean().min()
    reach = max(min(lowest - 0.03, 0.9), 0.45), 1.0
    first, strong = figure.add_subplot(grid[0, :2]), figure.add_subplot(grid[0, 2])
    _accuracies(first, ends, PAPER, reach)
    first.set(title="the paper's figure: a random start, until convergence", ylabel="accuracy on clean digits")
    _accuracies(strong, ends, ["spread_learned", *STRONG], reach)
    strong.set_title("what it lacks, converged")
    for i, count in enumerate(counts):
        panel = figure.add_subplot(grid[1, i])
        _accuracies(panel, steps[steps["iterations"] == count], PAPER, reach)
        panel.set(title=f"{count} steps from zero", ylabel="" if i else "accuracy on clean digits")
    cases = [(ends, "converged"), *((steps[steps["iterations"] == n], f"{n} steps") for n in (counts[0], counts[-1]))]
    for i, (part, title) in enumerate(cases):
        panel = figure.add_subplot(grid[2, i])
        _differences(panel, part, title)
        panel.set_ylabel("" if i else "lead of the learned prior")
    style.finish(figure)
    return figure


def _accuracies(axes: Axes, scores: pd.DataFrame, methods: list[str], reach: tuple[float, float]) -> None:
    for method in methods:
        style.curve(axes, scores[scores["method"] == method], "p_flip", "accuracy", METHODS[method])
    axes.set(xlabel="flip probability", xticks=sorted(scores["p_flip"].unique()), ylim=reach)


def _differences(axes: Axes, scores: pd.DataFrame, title: str) -> None:
    """Learned-prior spread less each rival, in the same trial: mean with an interval at the usual level."""
    wide = scores.pivot_table(index=["p_flip", "trial"], columns="method", values="accuracy")
    levels = sorted(scores["p_flip"].unique())
    width = 0.7 * (min(b - a for a, b in pairwise(levels)) if len(levels) > 1 else 0.1)
    reach = 0.02
    for i, rival in enumerate(RIVALS):
        lead = (wide["spread_learned"] - wide[rival]).rename("lead").reset_index()
        table = style.interval(lead, ["p_flip"], "lead")
        places = table["p_flip"] + width * (i / (len(RIVALS) - 1) - 0.5)
        reach = max(reach, float(table["high"].abs().max()), float(table["low"].abs().max()))
        style.bars(axes, places, table, METHODS[rival])
    axes.axhline(0, color=palette.INK, linewidth=0.8)
    # With two trials an interval says nothing and would hide all else.
    axes.set_ylim(-min(1.05 * reach, 0.2), min(1.05 * reach, 0.2))
    axes.set(xlabel="flip probability", xticks=levels, title=f"less its rivals, {title}")
