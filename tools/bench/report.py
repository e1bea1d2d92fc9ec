"""The bench as a table, as a picture and, by `python -m tools.bench.report` after a run, as a page of the docs."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.engine.task import load_fields
from tools.bench.measure import measure_all
from tools.bench.rows import all_rows
from tools.configuration import load_templates

KINDS = {
    "limit": "Against limits: what no implementation can be far below",
    "peer": "Against peers: what a user would take in our place",
}


def measured(seed: int, paths: Sequence[str]) -> pd.DataFrame:
    """The whole bench, on the prepared Treebank in these files."""
    return measure_all(all_rows(load_fields(paths)["treebank"]), seed)


def draw(table: pd.DataFrame) -> Figure:
    """Time over the reference's, on a logarithmic axis, one line a row: limits, and below them peers."""
    kinds = [kind for kind in KINDS if kind in set(table["kind"])]
    heights = [0.4 + 0.28 * int((table["kind"] == kind).sum()) for kind in kinds]
    figure, axes = style.panels(
        len(kinds), width=style.PAGE, height=sum(heights) / len(kinds), gridspec_kw={"height_ratios": heights}
    )
    for panel, kind in zip(axes[:, 0], kinds, strict=True):
        _draw_bars(panel, table[table["kind"] == kind])
        panel.set_title(KINDS[kind])
    axes[-1, 0].set_xlabel("time of ours / time of the reference; the mark is the target")
    return figure


def _draw_bars(panel: Axes, table: pd.DataFrame) -> None:
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


def page(table: pd.DataFrame) -> str:
    """The page: both figures, and a table of each kind."""
    shown = table.assign(met=table["met"].map({True: "yes", False: "**no**"}))
    shown = shown.round({"ours_s": 4, "reference_s": 4, "ratio": 3})
    tables = {title: shown[shown["kind"] == kind].drop(columns="kind") for kind, title in KINDS.items()}
    return load_templates().get_template("bench.md").render(tables=tables, markdown_table=style.markdown_table)


def publish(root: Path) -> None:
    """Write the page, and copy the pictures beside it."""
    docs = root / "docs"
    (docs / "bench.md").write_text(page(pd.read_csv(root / "results" / "bench.csv")), encoding="utf-8")
    for study in ("bench", "tagging_cost"):
        shutil.copyfile(root / "figures" / f"{study}.svg", docs / "measured" / f"{study}.svg")


if __name__ == "__main__":
    publish(Path())
