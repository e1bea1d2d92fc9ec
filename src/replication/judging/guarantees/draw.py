"""Draw what is claimed against what is exact, with the audits' lower bounds."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style

#: Values beyond these borders are drawn on them: no loss at all, and no protection at all.
LOWEST, HIGHEST = 0.01, 30.0
LOWEST_DELTA = 2e-4
#: A mechanism keeps its promise unless it exceeds it by more than rounding.
ROUNDING = 1e-9
PAPERS = {
    "linear_moments": "linear moments",
    "mean_operator": "mean operator",
    "class_ratio": "class ratio",
    "spread": "spread",
}


def draw(table: pd.DataFrame) -> Figure:
    """One line a mechanism: ε on the left, δ on the right where one is claimed."""
    rows = _places(table)
    height = 0.6 + 0.155 * (rows.max() + 1)
    figure, axes = style.panels(1, 2, width=style.PAGE, height=height, sharey=True, width_ratios=[3, 1.3])
    levels, leaks = axes[0]
    _level_panel(levels, table, rows)
    _leak_panel(leaks, table, rows)
    levels.set_yticks(rows, table["mechanism"].str.replace("_", " "))
    levels.set_ylim(rows.max() + 0.8, -1.6)
    for paper, name in PAPERS.items():
        mine = rows[(table["paper"] == paper).to_numpy()]
        if len(mine):
            levels.text(LOWEST * 0.85, mine.min() - 0.85, name, fontweight="bold", fontsize=7, va="center")
    style.finish(figure)
    return figure


def _places(table: pd.DataFrame) -> np.ndarray:
    """The height of each row, with a gap where a paper begins."""
    begins = table["paper"].ne(table["paper"].shift()).cumsum().to_numpy() - 1
    places: np.ndarray = np.arange(len(table)) + 1.2 * begins
    return places


def broken(table: pd.DataFrame) -> np.ndarray:
    """Which mechanisms lose more than is claimed."""
    worse: np.ndarray = (
        (table["exact_epsilon"] > table["claimed_epsilon"] * (1 + ROUNDING))
        | (table["exact_delta"] > table["claimed_delta"] * (1 + ROUNDING))
    ).to_numpy()
    return worse


def _level_panel(axes: Axes, table: pd.DataFrame, rows: np.ndarray) -> None:
    shown = table.assign(row=rows)
    low, high = (shown[name].clip(LOWEST, HIGHEST) for name in ("audited_low", "exact_epsilon"))
    axes.hlines(rows, low, high, color="#BBBBBB", linewidth=1.0, zorder=1)
    axes.plot(low, rows, "|", color=style.INK, markersize=6, zorder=4, label="audit: ε is at least this")
    _promises(axes, shown, "epsilon", LOWEST, HIGHEST)
    style.log_axis(axes, [LOWEST, 0.1, 1, 10, HIGHEST], ["0", "0.1", "1", "10", "∞"])
    axes.set(xlim=(LOWEST * 0.8, HIGHEST * 1.3), xlabel="ε at the claimed δ (nats)")


def _leak_panel(axes: Axes, table: pd.DataFrame, rows: np.ndarray) -> None:
    _promises(axes, table.assign(row=rows)[table["claimed_delta"] > 0], "delta", LOWEST_DELTA, 1.0)
    axes.set(xscale="log", xlim=(LOWEST_DELTA * 0.8, 1.2), xlabel="δ at the claimed ε")


def _promises(axes: Axes, shown: pd.DataFrame, what: str, low: float, high: float) -> None:
    """What is claimed, and what is exact, within the borders; by whether the promise is kept."""
    claimed, exact = (shown[f"{name}_{what}"].clip(low, high) for name in ("claimed", "exact"))
    bad, rows = broken(shown), shown["row"]
    axes.plot(claimed, rows, "D", markersize=5.5, markerfacecolor="none", color=style.INK, label="claimed")
    axes.plot(exact[~bad], rows[~bad], "o", color=style.COLOURS[0], label="exact, promise kept")
    axes.plot(exact[bad], rows[bad], "s", color=style.COLOURS[1], markersize=4, label="exact, promise broken")
