"""Draw theorem 6 by loss and theorem 10 by dimension, each bound beside what is measured."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS
from unveil.types import Array

SHIFTS = ("stated", "corrected", "measured")
SIZES = ("stated", "corrected_fixed", "measured_axis", "measured_diagonal")
#: How often the stated bound fails for a θ chosen before the noise; for the worst after it, and the mended bound too.
FIXED = {"failure_fixed": "measured", "failure_axis": "measured_axis", "failure_diagonal": "measured_diagonal"}
UNIFORM = {"failure_uniform": "measured_uniform", "failure_corrected": "corrected"}
COLUMNS = 3


def draw(scores: pd.DataFrame) -> Figure:
    """Theorem 6, one panel a loss; below it theorem 10: size and failure rate."""
    shifts, deviations = (scores[scores["theorem"] == theorem] for theorem in (6, 10))
    losses = list(shifts["loss"].unique())
    rows = -(-len(losses) // COLUMNS)
    figure, axes = style.panels(rows + 1, COLUMNS, height=2.0, used=COLUMNS * rows + 3)
    for axis, loss in zip(axes[:rows].flat, losses, strict=False):
        _lines(axis, shifts[shifts["loss"] == loss], {name: name for name in SHIFTS})
        axis.set_title(f"6: {loss.replace('_', ' ')}")
    for axis in axes[:rows].flat[len(losses) :]:
        axis.remove()
    style.label(axes, "dimension d", ["shift of θ*"] * rows + ["|L(μ, θ) − L(μ̃, θ)|"])
    _theorem_10(axes[-1], deviations)
    style.finish(figure)
    return figure


def _theorem_10(row: Array, scores: pd.DataFrame) -> None:
    """As it is stated, for a θ chosen beforehand: its size and how often it fails; apart, for all θ at once."""
    delta = scores["delta"].max()
    part = scores[scores["delta"] == delta]
    _lines(row[0], part, {name: name for name in SIZES})
    row[0].set_title(f"10, one θ: size, δ = {delta:g}")
    for axis, looks, title in ((row[1], FIXED, "10, one θ: failures"), (row[2], UNIFORM, "ours, all θ: failures")):
        _lines(axis, part, looks)
        style.level(axis, delta, METHODS["delta"])
        axis.set_yscale("symlog", linthresh=1e-4)
        axis.set(ylim=(0, 2), title=title, ylabel="probability")


def _lines(axis: Axes, scores: pd.DataFrame, looks: Mapping[str, str]) -> None:
    for quantity, name in looks.items():
        style.curve(axis, scores[scores["quantity"] == quantity], "d", "value", METHODS[name])
    style.log_axis(axis, (1, 10, 100))
    axis.set_yscale("log")
