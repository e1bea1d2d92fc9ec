"""The bench as a table and as a picture."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.engine.task import load_fields
from replication.randomness import generator
from tools.bench.measure import Kernel, Measured, measure

COLUMNS = ["kernel", "size", "ours_s", "reference", "reference_s", "ratio", "target", "met", "kind"]


#: What a peer of ours must not be faster than.
AHEAD = 1.0


def measured(seed: int, paths: Sequence[str] = ()) -> pd.DataFrame:
    """The whole bench, on the prepared fields in these files; without them on drawn data of their shape."""
    from tools.bench.cold import COLD
    from tools.bench.crossing import CROSSING
    from tools.bench.kernels import KERNELS
    from tools.bench.peers import PEERS
    from tools.bench.sums import SUMS
    from tools.bench.tagging import tagging

    taggers = tagging(load_fields(paths).get("treebank"))
    return bench([*KERNELS, *SUMS, *COLD, *taggers, *PEERS, *CROSSING], seed)


def bench(kernels: Iterable[Kernel], seed: int) -> pd.DataFrame:
    """Measure every kernel: one row each, and one more where the reference is a peer, too.

    A row whose reference is not installed is left out, with a line that says so.
    """
    rows = []
    for kernel in kernels:
        try:
            measured = measure(kernel, generator(seed, "bench", kernel.name, kernel.size, kernel.kind))
        except ImportError as error:
            note = f"{kernel.name}: no row against {kernel.reference}, since {error.name} is not installed"
            print(f"{note}: `pip install unveil[peers]`", file=sys.stderr, flush=True)  # noqa: T201 - into the log
            continue
        rows.append(_row(kernel, measured, kernel.target, kernel.kind))
        if kernel.alike:
            rows.append(_row(kernel, measured, AHEAD, "peer"))
    return pd.DataFrame(rows, columns=COLUMNS)


def _row(kernel: Kernel, measured: Measured, target: float, kind: str) -> dict[str, object]:
    return {
        "kernel": kernel.name,
        "size": kernel.size,
        "ours_s": measured.ours,
        "reference": kernel.reference,
        "reference_s": measured.reference,
        "ratio": measured.ratio,
        "target": target,
        "met": measured.ratio <= target,
        "kind": kind,
    }


def draw(table: pd.DataFrame) -> Figure:
    """Time over the reference's, on a logarithmic axis, one line a row: limits, and below them peers."""
    kinds = [kind for kind in ("limit", "peer") if kind in set(table["kind"])]
    heights = [0.4 + 0.28 * int((table["kind"] == kind).sum()) for kind in kinds]
    figure, axes = style.panels(
        len(kinds), width=style.PAGE, height=sum(heights) / len(kinds), gridspec_kw={"height_ratios": heights}
    )
    for panel, kind in zip(axes[:, 0], kinds, strict=True):
        _bars(panel, table[table["kind"] == kind])
        panel.set_title("against what no implementation can be far below" if kind == "limit" else "against peers")
    axes[-1, 0].set_xlabel("time of ours / time of the reference; the mark is the target")
    return figure


def _bars(panel: Axes, table: pd.DataFrame) -> None:
    places = range(len(table))
    colours = [palette.COLOURS[0] if met else palette.COLOURS[1] for met in table["met"]]
    least = min(table["ratio"].min(), table["target"].min()) / 2
    panel.hlines(places, least, table["ratio"], color=colours, linewidth=4)
    panel.plot(table["target"], places, "|", color=palette.INK, markersize=11, markeredgewidth=1.5)
    for place, row in zip(places, table.itertuples(), strict=True):
        panel.annotate(f" {row.ratio:.2g}", (max(row.ratio, row.target), place), va="center", fontsize=7)
    names = [f"{row.kernel}, {row.size}\nagainst {row.reference}" for row in table.itertuples()]
    panel.set_yticks(places, names, fontsize=5)
    panel.invert_yaxis()
    panel.set(xscale="log", xlim=(least, 4 * max(table["ratio"].max(), table["target"].max())))
