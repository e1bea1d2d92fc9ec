"""Draw what is claimed against what is exact, with the audits' lower bounds."""

from itertools import groupby

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style

#: Values beyond these borders are drawn on them: no loss at all, and no protection at all.
LOWEST, HIGHEST = 0.01, 30_000.0
LOWEST_DELTA = 5e-6
#: A mechanism keeps its promise unless it exceeds it by more than rounding.
ROUNDING = 1e-9
#: Parameters that the marks show, or that change nothing; and how the others are written.
UNSAID = {"epsilon", "delta", "alpha", "audited_at", "l2", "records", "truthful", "delta_bar", "rho"}
SAID = {
    "attained_at": "{}",
    "counts": "{}",
    "design": "{}",
    "as_in": "{}",
    "loss": "{} loss",
    "minimum_count": "counts ≥ {}",
    "flip": "flip {}",
    "variance": "variance {}",
    "distance": "{} apart",
    "window": "window {}",
}
PAPERS = {
    "linear_moments": "linear moments",
    "mean_operator": "mean operator",
    "class_ratio": "class ratio",
    "spread": "spread",
}


def draw(table: pd.DataFrame) -> Figure:
    """One line a mechanism: ε on the left, δ on the right where one is claimed."""
    rows = _places(table)
    height = 1.2 + 0.17 * (rows.max() + 1)
    figure, axes = style.panels(1, 2, height=height, sharey=True, width_ratios=[2.2, 1])
    levels, leaks = axes[0]
    _level_panel(levels, table, rows)
    _leak_panel(leaks, table, rows)
    names = [f"{row.mechanism.replace('_', ' ')}  {said(row.parameters)}".rstrip() for row in table.itertuples()]
    levels.set_yticks(rows, names)
    levels.set_ylim(rows.max() + 0.8, -1.4)
    for paper, name in PAPERS.items():
        mine = rows[(table["paper"] == paper).to_numpy()]
        if len(mine):
            levels.text(LOWEST * 0.85, mine.min() - 0.85, name, fontweight="bold", va="center")
    style.finish(figure, columns=2)
    return figure


def _places(table: pd.DataFrame) -> np.ndarray:
    """The height of each row, with a gap where a paper begins."""
    begins = table["paper"].ne(table["paper"].shift()).cumsum().to_numpy() - 1
    places: np.ndarray = np.arange(len(table)) + 1.2 * begins
    return places


def said(parameters: str) -> str:
    """What tells the rows of a mechanism apart, in few words."""
    pairs = [pair.split(" = ", 1) for pair in parameters.split("; ")]
    words = [
        SAID.get(name, "{} " + name.replace("_", " ")).format(_short(value))
        for name, value in pairs
        if name not in UNSAID
    ]
    return ", ".join(words).replace("_", " ")


def _short(value: str) -> str:
    """Counts that repeat are written once: 9 × 150, 1650."""
    runs = [(word, len(list(run))) for word, run in groupby(value.split())]
    return " + ".join(f"{often} × {word}" if often > 1 else word for word, often in runs)


def broken(table: pd.DataFrame) -> np.ndarray:
    """The rows of mechanisms that lose more than is claimed somewhere: one counterexample breaks a guarantee."""
    worse = (table["exact_epsilon"] > table["claimed_epsilon"] * (1 + ROUNDING) + ROUNDING) | (
        table["exact_delta"] > table["claimed_delta"] * (1 + ROUNDING)
    )
    somewhere: np.ndarray = worse.groupby([table["paper"], table["mechanism"]]).transform("any").to_numpy()
    return somewhere


def _level_panel(axes: Axes, table: pd.DataFrame, rows: np.ndarray) -> None:
    shown = table.assign(row=rows)
    low, high = (shown[name].clip(LOWEST, HIGHEST) for name in ("audited_low", "exact_epsilon"))
    axes.hlines(rows, low, high, color=palette.FAINT, linewidth=1.0, zorder=1)
    axes.plot(low, rows, "|", color=palette.INK, markersize=6, zorder=4, label="audit: ε is at least this")
    _promises(axes, shown.assign(bad=broken(table)), "epsilon", LOWEST, HIGHEST)
    style.log_axis(axes, [LOWEST, 0.1, 1, 10, 100, 1000, HIGHEST], ["0", "0.1", "1", "10", "100", "", "∞"])
    axes.set(xlim=(LOWEST * 0.75, HIGHEST * 1.6), xlabel="ε at claimed δ (nats)")


def _leak_panel(axes: Axes, table: pd.DataFrame, rows: np.ndarray) -> None:
    asked = table.assign(row=rows, bad=broken(table))[table["claimed_delta"] > 0]
    _promises(axes, asked, "delta", LOWEST_DELTA, 1.0)
    style.log_axis(axes, [1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1], ["10⁻⁵", "", "10⁻³", "", "", "1"])
    axes.set(xlim=(LOWEST_DELTA * 0.6, 2.0), xlabel="δ at claimed ε")


def _promises(axes: Axes, shown: pd.DataFrame, what: str, low: float, high: float) -> None:
    """What is claimed, and what is exact, within the borders; by whether the promise is kept."""
    claimed, exact = (shown[f"{name}_{what}"].clip(low, high) for name in ("claimed", "exact"))
    rows = shown["row"]
    axes.plot(claimed, rows, "D", markersize=5.5, markerfacecolor="none", color=palette.INK, label="claimed")
    for bad, verdict, kept in ((False, "reproduced", "kept"), (True, "contradicted", "broken")):
        look = palette.VERDICTS[verdict]
        for scope, fill, where in (("supremum", "full", "over all data"), ("here", "none", "at this data")):
            mine = (shown["bad"] == bad) & (shown["scope"] == scope)
            axes.plot(
                exact[mine],
                rows[mine],
                look.marker,
                color=look.color,
                fillstyle=fill,
                markersize=3.5,
                label=f"{kept}: exact {where}",
            )
