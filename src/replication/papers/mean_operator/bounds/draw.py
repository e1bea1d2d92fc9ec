"""Draw theorem 6 by loss and theorem 10 by dimension, each bound beside what is measured."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.papers.mean_operator.palette import METHODS, curve, level
from unveil.types import Array

SHIFTS = ("stated", "corrected", "measured")
DEVIATIONS = (*("stated", "corrected", "corrected_fixed"), *("measured_uniform", "measured_axis", "measured_diagonal"))
#: How often the stated bound fails for a θ, and the corrected one for the worst: each drawn like what it is about.
FAILURES = {
    "failure_uniform": "measured_uniform",
    "failure_axis": "measured_axis",
    "failure_diagonal": "measured_diagonal",
    "failure_corrected": "corrected",
}
COLUMNS = 3


def draw(scores: pd.DataFrame) -> Figure:
    """Theorem 6, one panel a loss; below it theorem 10: size and failure rate."""
    shifts, deviations = (scores[scores["theorem"] == theorem] for theorem in (6, 10))
    losses = list(shifts["loss"].unique())
    rows = -(-len(losses) // COLUMNS)
    figure, axes = style.panels(rows + 1, COLUMNS, height=2.0)
    for axis, loss in zip(axes[:rows].flat, losses, strict=False):
        _lines(axis, shifts[shifts["loss"] == loss], {name: name for name in SHIFTS})
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
    _lines(size, part, {name: name for name in DEVIATIONS})
    size.set_title(f"10: size, δ = {delta:g}")
    size.set_ylabel("|L(μ, θ) − L(μ̃, θ)|")
    _lines(failure, part, FAILURES)
    level(failure, delta, METHODS["delta"])
    failure.set_yscale("symlog", linthresh=1e-4)
    failure.set_ylim(0, 2)
    failure.set_title("10: failures")
    failure.set_ylabel("probability")
    words.set_axis_off()
    shown = {
        label: handle
        for axis in (size, failure)
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    words.legend(shown.values(), shown, title="theorem 10", title_fontsize=7, loc="center left")


def _lines(axis: Axes, scores: pd.DataFrame, looks: Mapping[str, str]) -> None:
    for quantity, name in looks.items():
        curve(axis, scores[scores["quantity"] == quantity], "d", "value", METHODS[name])
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("dimension d")
