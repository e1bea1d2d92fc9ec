"""Draw accuracy and AUC against α for each data set and loss, and how mechanisms change places as m grows."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unveil import style
from unveil.types import Array

LABELS = {
    "printed": "printed scale",
    "laplace": "Laplace, right scale",
    "gamma": "radial (gamma) noise",
    "randomized_response": "randomised response",
    "output": "output perturbation",
    "objective": "objective perturbation",
}
TITLES = {"census": "Census", "mnist": "MNIST 7/9", "breast_cancer": "breast cancer"}
MEASURES = {"accuracy": "accuracy", "auc": "AUC"}


def draw(scores: pd.DataFrame) -> Figure:
    """Two blocks (accuracy, AUC) of one row a data set and one column a loss, and a last row against m."""
    curves, sweep = (scores[scores["panel"] == panel] for panel in ("alpha", "m"))
    # One λ for all curves, the middle of the grid: chosen before any result was seen.
    curves = curves[curves["l2"] == middle(curves["l2"])]
    losses, datasets = curves["loss"].unique(), curves["dataset"].unique()
    figure, axes = style.panels(2 * len(datasets) + 1, len(losses), height=1.3)
    for block, measure in enumerate(MEASURES):
        for row, dataset in enumerate(datasets):
            for column, loss in enumerate(losses):
                axis = axes[block * len(datasets) + row, column]
                _against_alpha(
                    axis, curves[(curves["dataset"] == dataset) & (curves["loss"] == loss)], measure
                )
                axis.set_title(f"{TITLES[dataset]}, {loss}")
                if column == 0:
                    axis.set_ylabel(MEASURES[measure])
    _sweep_row(axes[-1], sweep)
    style.letter(axes)
    style.legend(figure, axes[0, 0])
    return figure


def middle(values: pd.Series) -> float:
    """The middle one of the distinct values."""
    grid = sorted(values.unique())
    return float(grid[len(grid) // 2])


def _against_alpha(axis: Axes, scores: pd.DataFrame, measure: str) -> None:
    clean = scores.loc[scores["mechanism"] == "none", measure].mean()
    axis.axhline(clean, color=style.INK, linewidth=0.9, label="no privacy")
    chance = scores["base_rate"].mean() if measure == "accuracy" else 0.5
    axis.axhline(chance, color=style.MUTED, linewidth=0.9, linestyle=":", label="base rate (AUC: ½)")
    _curves(axis, scores, "alpha", measure)
    printed = scores[scores["mechanism"] == "printed"]
    ratio = (printed["true_alpha"] / printed["alpha"]).mean()
    axis.text(
        0.98, 0.04, f"printed: true ε = {ratio:.1f} α", transform=axis.transAxes, ha="right", fontsize=6
    )
    axis.set_xscale("log")
    axis.set_xlabel("α")
    axis.set_ylim(0.35, 1.02)


def _curves(axis: Axes, scores: pd.DataFrame, x: str, measure: str) -> None:
    for name, look in style.looks(LABELS).items():
        part = scores[scores["mechanism"] == name]
        if part[measure].notna().any():
            found = style.interval(part, [x], measure)
            style.band(axis, found[x], found["mean"], found["low"], found["high"], LABELS[name], **look)


def _sweep_row(axes: Array, sweep: pd.DataFrame) -> None:
    """How far the statistic is off, with the predicted crossovers, and the AUC at each α."""
    levels = sorted(sweep.loc[sweep["mechanism"] != "none", "alpha"].unique())
    strictest, loosest = sweep[sweep["alpha"] == levels[0]], sweep[sweep["alpha"] == levels[-1]]
    panels = ((strictest, "statistic_error"), (strictest, "auc"), (loosest, "auc"))
    for axis, (part, measure) in zip(axes, panels, strict=True):
        _curves(axis, part, "m", measure)
        axis.set_xscale("log")
        axis.set_xlabel("records m")
        axis.set_title(f"Census, α = {part['alpha'].iloc[0]:g}")
        axis.set_ylabel("‖μ̃ − μ‖" if measure == "statistic_error" else "AUC")
    axes[0].set_yscale("log")
    for name in ("laplace", "gamma"):
        at = strictest.loc[strictest["mechanism"] == name, "predicted_crossover"].mean()
        axes[0].axvline(at, color=style.looks(LABELS)[name]["color"], linewidth=0.8, linestyle=":")
