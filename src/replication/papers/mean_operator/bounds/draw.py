"""Draw theorem 6 for three losses, and theorem 10 by dimension, each bound beside what is measured."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS
from unveil.types import Array

LOSSES = ("logistic", "square", "steep_linear")
SHIFTS = ("stated", "corrected", "measured")
SIZES = ("stated", "corrected_fixed", "measured_diagonal")
#: How often the stated bound fails for a θ chosen before the noise; for the worst after it, and the mended bound too.
FIXED = {"failure_fixed": "measured", "failure_diagonal": "measured_diagonal"}
UNIFORM = {"failure_uniform": "measured_uniform", "failure_corrected": "corrected"}


def draw(scores: pd.DataFrame) -> Figure:
    """Theorem 6, one panel a loss; below it theorem 10: size and failure rate."""
    shifts, deviations = (scores[scores["theorem"] == theorem] for theorem in (6, 10))
    losses = [loss for loss in LOSSES if loss in set(shifts["loss"])]
    figure, axes = style.panels(2, len(LOSSES), height=2.5)
    for panel in axes[0, len(losses) :]:
        panel.remove()
    for panel, loss in zip(axes[0], losses, strict=False):
        lines(panel, shifts[shifts["loss"] == loss], {name: name for name in SHIFTS})
        panel.set_title(f"6: {loss.replace('_', ' ')}")
    _theorem_10(axes[1], deviations)
    style.label(axes, "dimension d", ["shift of θ*", "|L(μ, θ) − L(μ̃, θ)|"])
    style.finish(figure)
    return figure


def _theorem_10(row: Array, scores: pd.DataFrame) -> None:
    """As it is stated, for a θ chosen beforehand: its size and how often it fails; apart, for all θ at once."""
    delta = scores["delta"].max()
    part = scores[scores["delta"] == delta]
    lines(row[0], part, {name: name for name in SIZES})
    row[0].set_title(f"10, one θ: size, δ = {delta:g}")
    for panel, looks, title in ((row[1], FIXED, "10, one θ: failures"), (row[2], UNIFORM, "ours, all θ: failures")):
        lines(panel, part[part["value"] > 0], looks)  # no failure has no place on this axis
        style.level(panel, delta, METHODS["delta"])
        panel.set(ylim=(1e-4, 2), title=title)


def lines(axes: Axes, scores: pd.DataFrame, looks: Mapping[str, str]) -> None:
    """Each quantity against the dimension, in the look that it is given."""
    for quantity, name in looks.items():
        style.curve(axes, scores[scores["quantity"] == quantity], "d", "value", METHODS[name])
    axes.set_yscale("log")
    style.log_axis(axes, (1, 10, 100))
