"""Draw theorem 6 by loss and theorem 10 by dimension, each bound beside what is measured."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from unveil.types import Array

SHIFTS = {"stated": "as stated, ‖μ − μ̃‖/λ", "corrected": "corrected, |a|‖μ − μ̃‖/4λ", "measured": "measured"}
DEVIATIONS = {
    "stated": "as stated",
    "corrected": "times √d, for all θ",
    "corrected_fixed": "Chernoff, one θ",
    "measured_uniform": "worst θ in the ball",
    "measured_axis": "θ along an axis",
    "measured_diagonal": "θ along the diagonal",
}
FAILURES = {
    "failure_uniform": "stated, worst θ",
    "failure_corrected": "times √d, worst θ",
    "failure_axis": "stated, θ along an axis",
    "failure_diagonal": "stated, θ along the diagonal",
}
COLUMNS = 3


def draw(scores: pd.DataFrame) -> Figure:
    """Theorem 6, one panel a loss; below it theorem 10: size and failure rate."""
    shifts, deviations = (scores[scores["theorem"] == theorem] for theorem in (6, 10))
    losses = list(shifts["loss"].unique())
    rows = -(-len(losses) // COLUMNS)
    figure, axes = style.panels(rows + 1, COLUMNS, height=2.0)
    for axis, loss in zip(axes[:rows].flat, losses, strict=False):
        _lines(axis, shifts[shifts["loss"] == loss], SHIFTS)
        axis.set_title(f"6: {loss.replace('_', ' ')}")
        axis.set_ylabel("shift of θ*")
    for axis in axes[:rows].flat[len(losses) :]:
        axis.set_axis_off()
    style.legend(figure, axes[0, 0])
    _theorem_10(axes[-1], deviations)
    style.letter(np.array([*axes[:rows].flat[: len(losses)], *axes[-1][:2]]))
    return figure


def _theorem_10(axes: Array, scores: pd.DataFrame) -> None:
    size, failure, words = axes
    delta = scores["delta"].max()
    part = scores[scores["delta"] == delta]
    _lines(size, part, DEVIATIONS)
    size.set_title(f"10: size, δ = {delta:g}")
    size.set_ylabel("|L(μ, θ) − L(μ̃, θ)|")
    _lines(failure, part, FAILURES)
    failure.axhline(delta, color=style.INK, linewidth=0.9, label="δ")
    failure.set_yscale("symlog", linthresh=1e-4)
    failure.set_ylim(0, 2)
    failure.set_title("10: failures")
    failure.set_ylabel("probability")
    words.set_axis_off()
    for axis, title, where, at in (
        (size, "size", "upper left", 1.2),
        (failure, "failures", "lower left", -0.3),
    ):
        words.add_artist(
            words.legend(
                *axis.get_legend_handles_labels(),
                title=f"10: {title}",
                title_fontsize=6,
                fontsize=5.5,
                labelspacing=0.25,
                loc=where,
                bbox_to_anchor=(0, at),
            )
        )


def _lines(axis: Axes, scores: pd.DataFrame, names: dict[str, str]) -> None:
    for name, look in style.looks(names).items():
        found = style.interval(scores[scores["quantity"] == name], ["d"], "value")
        style.band(axis, found["d"], found["mean"], found["low"], found["high"], names[name], **look)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("dimension d")
