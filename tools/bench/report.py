"""The bench as a table and as a picture."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.randomness import generator
from tools.bench.measure import Kernel, measure


def measured(seed: int) -> pd.DataFrame:
    """The whole bench."""
    from tools.bench.kernels import KERNELS

    return bench(KERNELS, seed)


def bench(kernels: Iterable[Kernel], seed: int) -> pd.DataFrame:
    """Measure every kernel: one row each."""
    rows = []
    for kernel in kernels:
        measured = measure(kernel, generator(seed, "bench", kernel.name, kernel.size))
        rows.append(
            {
                "kernel": kernel.name,
                "size": kernel.size,
                "ours_s": measured.ours,
                "reference": kernel.reference,
                "reference_s": measured.reference,
                "ratio": measured.ratio,
                "target": kernel.target,
                "met": measured.ratio <= kernel.target,
            }
        )
    return pd.DataFrame(rows)


def draw(table: pd.DataFrame) -> Figure:
    """Ratio against target, one line a kernel; a kernel that keeps its target ends left of the mark."""
    figure, axes = style.panels(width=style.PAGE, height=0.6 + 0.28 * len(table))
    panel = axes[0, 0]
    places = range(len(table))
    colours = [style.COLOURS[0] if met else style.COLOURS[1] for met in table["met"]]
    panel.hlines(places, 0, table["ratio"], color=colours, linewidth=4)
    panel.plot(table["target"], places, "|", color=style.INK, markersize=11, markeredgewidth=1.5)
    for place, row in zip(places, table.itertuples(), strict=True):
        panel.annotate(f" {row.ratio:.2f}", (max(row.ratio, row.target), place), va="center", fontsize=7)
    panel.set_yticks(places, [f"{row.kernel}\n{row.size}" for row in table.itertuples()], fontsize=6)
    panel.invert_yaxis()
    panel.set_xlim(0, 1.15 * max(table["ratio"].max(), table["target"].max()))
    panel.set_xlabel("time of ours / time of the reference; the mark is the target")
    return figure
