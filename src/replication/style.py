"""One look for all figures: sizes, colours, bands, legends, the footer, and files without dates in them.

A figure is drawn at the size it is read: one column (3.4 in) or the full page (7 in), in 8-point type.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from math import ceil, inf
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from replication.palette import GRID, INK, MUTED, Method
from unveil.types import Array

COLUMN, PAGE = 3.4, 7.0

_RULES: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "lines.linewidth": 1.3,
    "lines.markersize": 3.5,
    "figure.constrained_layout.use": True,
    # Text is hinted: what is laid out at another resolution may not fit.
    "figure.dpi": 200,
    "savefig.dpi": 200,
    "svg.hashsalt": "unveil",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}

#: What each format would write of when and by whom it was made.
_UNDATED: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    ".png": {"Software": None},
}


@contextmanager
def applied() -> Iterator[None]:
    """Draw with this look, without a screen, and close what was drawn."""
    import matplotlib.pyplot as plt

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_RULES)
        plt.switch_backend("agg")
        try:
            yield
        finally:
            plt.close("all")


def panels(
    rows: int = 1,
    columns: int = 1,
    width: float | None = None,
    height: float = 2.1,
    used: int | None = None,
    **shared: Any,
) -> tuple[Figure, Array]:
    """A figure with rows × columns panels, each `height` inches high, the first `used` of them kept: (figure, axes)."""
    import matplotlib.pyplot as plt

    size = (width or (COLUMN if columns == 1 else PAGE), height * rows)
    figure, axes = plt.subplots(rows, columns, figsize=size, squeeze=False, **shared)
    for panel in axes.flat[rows * columns if used is None else used :]:
        panel.remove()
    return figure, axes


def curve(axes: Axes, scores: pd.DataFrame, x: str, y: str, method: Method, **other: Any) -> None:
    """The mean of `y` at each `x` with its 95 % interval; `other` says what differs from the method's own look."""
    band(axes, interval(scores, [x], y), x, method, **other)


def band(axes: Axes, table: pd.DataFrame, x: str, method: Method, **other: Any) -> None:
    """A line with its interval shaded, from a table of `x`, mean, low and high."""
    (line,) = axes.plot(table[x], table["mean"], **{"label": method.label, **method.line, **other})
    places = table[x].to_numpy(dtype=float)
    axes.fill_between(places, table["low"], table["high"], color=line.get_color(), alpha=0.18, linewidth=0)


def bars(axes: Axes, places: Any, table: pd.DataFrame, method: Method, **other: Any) -> None:
    """The means of a table with bars from low to high, and no line between them."""
    reach = [table["mean"] - table["low"], table["high"] - table["mean"]]
    axes.errorbar(places, table["mean"], yerr=reach, **{"label": method.label, **method.marks, **other})


def level(axes: Axes, value: float, method: Method) -> None:
    """A reference across the panel, behind its curves."""
    axes.axhline(value, label=method.label, linewidth=0.9, zorder=1.5, **method.stroke)


def log_axis(axes: Axes, ticks: Iterable[float], names: Iterable[str] | None = None) -> None:
    """A logarithmic x axis with these ticks only, as plain numbers unless they have names."""
    at = list(ticks)
    axes.set_xscale("log")
    axes.set_xticks(at, [f"{tick:g}" for tick in at] if names is None else list(names))
    axes.minorticks_off()
    axes.autoscale_view(scaley=False)  # ticks off the data do not widen the axis


def interval(scores: pd.DataFrame, by: Sequence[str], value: str, level: float = 0.95) -> pd.DataFrame:
    """Mean of `value` in each group with a Student-t interval over its trials: columns mean, low, high, n."""
    from scipy.special import stdtrit

    groups = scores.groupby(list(by), sort=True, dropna=False)[value]
    table = groups.agg(mean="mean", spread="sem", n="count").reset_index()
    half = stdtrit(np.maximum(table["n"] - 1, 1), (1 + level) / 2) * table["spread"].fillna(0.0)
    return table.assign(low=table["mean"] - half, high=table["mean"] + half).drop(columns="spread")


def label(axes: Array, x: str | None = None, y: str | Sequence[str] | None = None) -> None:
    """Name what panels share where it is read: x below the lowest panel of a column, y left of a row."""
    for column in axes.T if x else ():
        lowest = [panel for panel in column if panel.figure][-1]
        lowest.set_xlabel(x)
        lowest.tick_params(labelbottom=True)
    for panel, text in zip(axes[:, 0], [y or ""] * len(axes) if y is None or isinstance(y, str) else y, strict=True):
        panel.set_ylabel(text)


def finish(figure: Figure, columns: int = 4) -> None:
    """Letter the panels, and explain above them, off the data, every look that no panel explains itself."""
    letter(figure)
    shown: dict[str, Any] = {}
    for panel in figure.axes:
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
            if panel.get_legend() is None:
                shown.setdefault(name, handle)
    columns = ceil(len(shown) / ceil(len(shown) / columns))
    figure.legend(shown.values(), shown, loc="outside upper center", ncols=columns)


def letter(figure: Figure) -> None:
    """Mark the panels (a), (b) … before their titles, row by row; a single panel needs no mark."""
    for i, panel in enumerate(sorted(figure.axes, key=_place) if len(figure.axes) > 1 else ()):
        title = panel.get_title()
        panel.set_title("")
        panel.set_title(f"({chr(97 + i)}) {title}".rstrip(), loc="left")


def _place(panel: Axes) -> tuple[float, float]:
    """The row and the column of a panel; one outside of the grid comes last."""
    spec = panel.get_subplotspec()
    top = spec.get_topmost_subplotspec() if spec else None
    return (top.rowspan.start, top.colspan.start) if top else (inf, inf)


def footer(metadata: Mapping[str, Any]) -> str:
    """What a figure rests on: each data set with grade and size, or what stands otherwise; the trials, the seed."""
    data = [f"{item['dataset']}: {item['grade']}, n = {item['rows']:,}" for item in metadata["data"]]
    trials = [f"trials: {metadata['trials']}"] if metadata["trials"] else []
    parts = [*(data or [metadata.get("otherwise", "no data set")]), *trials, f"seed: {metadata['seed']}"]
    return " · ".join(part.replace(" ", "\N{NO-BREAK SPACE}") for part in parts)


def add_footer(figure: Figure, metadata: Mapping[str, Any]) -> None:
    """Write the footer in a strip of its own below the figure."""
    import textwrap

    width, height = figure.get_size_inches()
    lines = textwrap.wrap(footer(metadata), int(width * 23))
    strip = 0.05 + 0.1 * len(lines)
    figure.set_size_inches(width, height + strip)
    share = strip / (height + strip)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(rect=(0, share, 1, 1 - share))  # type: ignore[call-arg]
    figure.text(0.01, 0.02 / (height + strip), "\n".join(lines), fontsize=5.5, color=MUTED, va="bottom", ha="left")


def settle(figure: Figure) -> None:
    """Lay the figure out once for all formats: the layout costs more than the drawing."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    figure.set_layout_engine("none")
    snap(figure)


def snap(figure: Figure) -> None:
    """Round where the panels lie: the layout's solver goes by addresses, and its last bits differ from run to run."""
    for panel in figure.axes:
        for which in ("original", "active"):
            corners = panel.get_position(original=which == "original").extents
            panel.set_position(Bbox.from_extents(*np.round(corners, 12)), which=which)


def pictures(figure: Figure, paths: Iterable[Path]) -> Iterator[tuple[Path, bytes]]:
    """Each path with the figure in the format of its suffix; the same figure always gives the same bytes.

    Drawn in memory: what a full disk does in the middle of a PDF, matplotlib hides behind errors of its own.
    """
    settle(figure)
    # With an engine, be it the one that does nothing, matplotlib would draw every format twice.
    with mpl.rc_context({"figure.autolayout": False, "figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
        for path in paths:
            content = BytesIO()
            figure.savefig(content, format=path.suffix[1:], metadata=_UNDATED[path.suffix])
            yield path, content.getvalue()


def draw_table(table: pd.DataFrame, width: float = PAGE) -> Figure:
    """A table as a picture, for figures that are tables."""
    figure, axes = panels(width=width, height=0.3 + 0.2 * len(table))
    panel = axes[0, 0]
    panel.axis("off")
    cells = [[_cell(value) for value in row] for row in table.itertuples(index=False)]
    drawn = panel.table(
        cells,
        colLabels=[str(name) for name in table.columns],
        loc="center",
        cellLoc="left",
        colLoc="left",
        edges="horizontal",
    )
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(7)
    drawn.auto_set_column_width(list(range(len(table.columns))))
    for (row, _), cell in drawn.get_celld().items():
        cell.set_edgecolor(MUTED if row == 0 else GRID)
        cell.set_linewidth(0.6)
        if row == 0:
            cell.get_text().set_fontweight("bold")
    return figure


def markdown_table(table: pd.DataFrame) -> str:
    """A table in Markdown."""
    lines = [list(map(str, table.columns)), ["---"] * len(table.columns)]
    lines += [[_cell(value).replace("|", "\\|") for value in row] for row in table.itertuples(index=False)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return f"{value:,}"
    return str(value)
