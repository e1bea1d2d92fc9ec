"""Draw accuracy and AUC against α by data set and loss, and how mechanisms change places as m grows."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.mean_operator.palette import METHODS, TITLES
from unveil.types import Array

MECHANISMS = ("printed", "laplace", "gamma", "randomized_response", "output", "objective")
MEASURES = {"accuracy": "accuracy", "auc": "AUC"}


def draw(scores: pd.DataFrame) -> Figure:
    """One row a data set: accuracy for each loss, then AUC for the first; a last row against m."""
    curves, sweep = drawn(scores), scores[scores["panel"] == "m"]
    losses, datasets = curves["loss"].unique(), curves["dataset"].unique()
    figure, axes = style.panels(len(datasets) + 1, len(losses) + 1, height=1.6)
    for row, dataset in zip(axes, datasets, strict=False):
        cells = [*((loss, "accuracy") for loss in losses), (losses[0], "auc")]
        for axis, (loss, measure) in zip(row, cells, strict=True):
            part = curves[(curves["dataset"] == dataset) & (curves["loss"] == loss)]
            _against_alpha(axis, part, measure)
            axis.set_title(f"{loss}: {MEASURES[measure]}")
    _sweep_row(axes[-1], sweep)
    style.label(axes, y=[*(TITLES[dataset] for dataset in datasets), "Census"])
    style.finish(figure)
    return figure


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy and AUC of every drawn λ, loss, mechanism and α, with half the width of a 95 % interval."""
    by = ["dataset", "loss", "mechanism", "alpha"]
    part = drawn(scores)
    columns = {"true α": part.groupby(by, sort=True)["true_alpha"].mean().to_numpy()}
    for measure, name in MEASURES.items():
        found = style.interval(part, by, measure)
        columns |= {name: found["mean"], f"± {name}": found["high"] - found["mean"]}
    return found[by].assign(**columns)


def drawn(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows against α at the middle λ of the grid: one for all data sets, losses, mechanisms and levels."""
    curves = scores[scores["panel"] == "alpha"]
    return curves[curves["l2"] == middle(curves["l2"])]


def middle(values: pd.Series) -> float:
    """The middle one of the distinct values."""
    grid = sorted(values.unique())
    return float(grid[len(grid) // 2])


def _against_alpha(axis: Axes, scores: pd.DataFrame, measure: str) -> None:
    style.level(axis, scores.loc[scores["mechanism"] == "none", measure].mean(), METHODS["none"])
    style.level(axis, scores["base_rate"].mean() if measure == "accuracy" else 0.5, METHODS["chance"])
    _curves(axis, scores, "alpha", measure)
    printed = scores[scores["mechanism"] == "printed"]
    ratio = (printed["true_alpha"] / printed["alpha"]).mean()
    axis.text(0.98, 0.03, f"printed: true ε = {ratio:.1f} α", transform=axis.transAxes, ha="right", fontsize=6)
    style.log_axis(axis, (0.03, 0.1, 0.3, 1, 3))
    # Below the curves there is room for the text.
    axis.set(xlabel="α", ylim=(0.25, 1.02))


def _curves(axis: Axes, scores: pd.DataFrame, x: str, measure: str) -> None:
    for name in MECHANISMS:
        part = scores[scores["mechanism"] == name]
        if part[measure].notna().any():
            style.curve(axis, part, x, measure, METHODS[name])


def _sweep_row(axes: Array, sweep: pd.DataFrame) -> None:
    """How far the statistic is off, with the predicted crossovers; accuracy; AUC at the strictest and the loosest α."""
    levels = sorted(sweep.loc[sweep["mechanism"] != "none", "alpha"].unique())
    strictest, loosest = sweep[sweep["alpha"] == levels[0]], sweep[sweep["alpha"] == levels[-1]]
    panels = ((strictest, "statistic_error"), (strictest, "accuracy"), (strictest, "auc"), (loosest, "auc"))
    for axis, (part, measure) in zip(axes, panels, strict=True):
        _curves(axis, part, "m", measure)
        style.log_axis(axis, (1000, 10_000), ("$10^3$", "$10^4$"))
        axis.set(xlabel="records m", title=f"{MEASURES.get(measure, '‖μ̃ − μ‖')}, α = {part['alpha'].iloc[0]:g}")
        if measure in MEASURES:
            axis.set_ylim(0.35, 1.02)
    axes[0].set_yscale("log")
    for name in ("laplace", "gamma"):
        at = strictest.loc[strictest["mechanism"] == name, "predicted_crossover"].mean()
        axes[0].axvline(at, color=METHODS[name].color, linewidth=0.8, linestyle=":")
