"""Draw who wins at each ε and n: one row a question, one column a data set."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from replication import palette, style
from replication.palette import METHODS, TITLES

ROWS = {"best": "best of four", "veil": "model or ignore"}
#: A margin of this many points has its winner's full colour.
FULL = 3.0


def draw(scores: pd.DataFrame) -> Figure:
    """A cell has its winner's colour, stronger with the margin, which it says in points; without one it stays white."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(len(ROWS), len(datasets), height=2.0)
    # A data set without more records than the smallest size has one column only.
    for row, question in zip(axes, ROWS, strict=True):
        for panel, dataset in zip(row, datasets, strict=True):
            _map(panel, scores[(scores["question"] == question) & (scores["dataset"] == dataset)])
            panel.set_title(f"{TITLES[dataset]}: {ROWS[question]}")
    style.label(axes, "records n", "ε of a label (nats)")
    style.letter(figure)
    names = [name for name in METHODS if name in set(scores["winner"])]
    keys = [Patch(color=METHODS[name].color, label=METHODS[name].label) for name in names]
    keys.append(Patch(facecolor=palette.BLANK, edgecolor=palette.MUTED, label="no winner shown"))
    keys.append(Patch(alpha=0, label="numbers: lead in percentage points"))
    figure.legend(handles=keys, loc="outside upper center", ncols=min(len(keys), 3))
    return figure


def _map(panel: Axes, scores: pd.DataFrame) -> None:
    epsilons, sizes = sorted(scores["epsilon"].unique()), sorted(scores["n"].unique())
    for _, cell in scores.iterrows():
        x, y, points = sizes.index(cell["n"]), epsilons.index(cell["epsilon"]), 100 * cell["margin"]
        won = isinstance(cell["winner"], str) and cell["winner"] != ""
        strength = float(np.clip(points / FULL, 0.15, 1)) if won else 1.0
        colour, alpha = (METHODS[cell["winner"]].color, 0.85 * strength) if won else (palette.BLANK, 1.0)
        panel.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, linewidth=0, facecolor=colour, alpha=alpha))
        ink = palette.INK if won else palette.MUTED
        panel.text(x, y, f"{points:.1f}", ha="center", va="center", fontsize=5.5, color=ink)
    panel.set(xlim=(-0.5, len(sizes) - 0.5), ylim=(-0.5, len(epsilons) - 0.5))
    panel.set_xticks(range(len(sizes)), [_short(n) for n in sizes])
    panel.set_yticks(range(len(epsilons)), [f"{epsilon:g}" for epsilon in epsilons])
    panel.grid(visible=False)


def _short(n: int) -> str:
    return f"{n // 1000}k" if n >= 1000 else str(n)
