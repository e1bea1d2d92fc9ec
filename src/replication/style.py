"""One look for all figures: sizes, intervals, names of lines, the footer, and files without dates in them.

A figure is as wide as a page, 7 in, and its smallest type can be read where that is 608 pixels.
"""

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from math import ceil, inf, nan
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from replication.palette import DATASETS, GRID, INK, MUTED, Method
from unveil.types import Array

PAGE = 7.0
#: The smallest type of names and ticks, in points.
SMALL = 8.5
#: So few repetitions are drawn one by one: an interval from them says nothing.
FEW = 4

_RULES: dict[Any, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "lines.linewidth": 1.4,
    "lines.markersize": 4,
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
    rows: int = 1, columns: int = 1, height: float = 2.3, used: int | None = None, width: float = PAGE, **shared: Any
) -> tuple[Figure, Array]:
    """A figure with rows × columns panels, each `height` inches high, the first `used` of them kept: (figure, axes)."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(rows, columns, figsize=(width, height * rows), squeeze=False, **shared)
    for panel in axes.flat[rows * columns if used is None else used :]:
        panel.remove()
    return figure, axes


def curve(axes: Axes, scores: pd.DataFrame, x: str, y: str, method: Method, **other: Any) -> None:
    """The mean of `y` at each `x` with its 95 % interval, or with its few repetitions as points.

    `other` says what differs from the method's own look.
    """
    table = interval(scores, [x], y)
    few = table["n"].max() <= FEW
    band(axes, table.assign(low=table["mean"], high=table["mean"]) if few else table, x, method, **other)
    if few:
        axes.plot(scores[x], scores[y], ".", color=axes.lines[-1].get_color(), alpha=0.4, markersize=3)


def band(axes: Axes, table: pd.DataFrame, x: str, method: Method, **other: Any) -> None:
    """A line with its intervals as thin bars, from a table of `x`, mean, low and high: bands hide other lines."""
    (line,) = axes.plot(table[x], table["mean"], **{"label": method.label, **method.line, **other})
    axes.vlines(table[x], table["low"], table["high"], color=line.get_color(), linewidth=0.9, alpha=0.6)


def bars(axes: Axes, places: Any, table: pd.DataFrame, method: Method, **other: Any) -> None:
    """The means of a table with bars from low to high, and no line between them."""
    reach = [table["mean"] - table["low"], table["high"] - table["mean"]]
    axes.errorbar(places, table["mean"], yerr=reach, **{"label": method.label, **method.marks, **other})


def level(axes: Axes, value: float, method: Method, at: float = 0.02, above: bool = True) -> None:
    """A reference across the panel, behind its curves; the first of a figure has its name written on it."""
    axes.axhline(value, label=method.label, linewidth=0.9, zorder=1.5, **method.stroke)
    if method.label not in _written(axes.get_figure(root=True)):
        beside = {"ha": "left" if at < 0.5 else "right", "va": "bottom" if above else "top"}
        place = {"xycoords": axes.get_yaxis_transform(), "color": method.color}
        write(axes, method.label, (at, value), (0, 2 if above else -2), **beside, **place)


def write(axes: Axes, text: str, point: Any, shift: tuple[float, float] = (0, 0), **other: Any) -> None:
    """A name beside a point, moved by so many typographic points."""
    axes.annotate(text, tuple(point), shift, textcoords="offset points", fontsize=SMALL, **other)


def label_ends(axes: Axes, width: int = 24) -> None:
    """Name each line beside its right end, in the place of a legend; names keep apart."""
    curves = [line for line in axes.get_lines() if line.get_transform() == axes.transData]  # no levels
    ends = [(_end(axes, line), line) for line in curves if not str(line.get_label()).startswith("_")]
    shown = sorted(((end, line) for end, line in ends if np.isfinite(end)), key=lambda pair: pair[0])
    names = [textwrap.fill(str(line.get_label()), width) for _, line in shown]
    figure = axes.get_figure(root=True)
    height = 0.9 * axes.get_position().height * (figure.get_figheight() if figure else 1.0)
    line_height = 1.25 * SMALL / 72 / height
    tall = np.array([line_height * (1 + name.count("\n")) for name in names])
    places, gaps = np.array([end for end, _ in shown]), (tall[:-1] + tall[1:]) / 2
    for _ in range(300):  # neighbours that are too near push each other apart
        overlap = np.maximum(gaps - np.diff(places), 0.0)
        places[:-1] -= overlap / 2
        places[1:] += overlap / 2
        places += max(0.0, -places[:1].sum())  # names stay above the axis
    for place, name, (_, line) in zip(places, names, shown, strict=True):
        axes.annotate(
            name, (1.03, place), xycoords="axes fraction", va="center", fontsize=SMALL, color=line.get_color(),
            annotation_clip=False,
        )  # fmt: skip


def _end(axes: Axes, line: Any) -> float:
    """How high in its panel a line ends, from 0 to 1; nan where it has no point."""
    axes.get_ylim()  # settles the limits
    y = np.asarray(line.get_ydata(), dtype=float)
    y = y[np.isfinite(y)]
    if not len(y):
        return nan
    return float(np.clip((axes.transData - axes.transAxes).transform((1.0, y[-1]))[1], 0, 1))


def _written(figure: Figure | None) -> set[str]:
    """What stands in the panels of a figure as text."""
    return {" ".join(text.get_text().split()) for panel in (figure.axes if figure else ()) for text in panel.texts}


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
        for lowest in [panel for panel in column if panel.figure][-1:]:
            lowest.set_xlabel(x)
            lowest.tick_params(labelbottom=True)
    for panel, text in zip(axes[:, 0], [y or ""] * len(axes) if y is None or isinstance(y, str) else y, strict=True):
        panel.set_ylabel(text)


def finish(figure: Figure, columns: int = 3) -> None:
    """Letter the panels, and explain above them, off the data, every look that no panel explains itself."""
    letter(figure)
    written, shown = _written(figure), dict[str, Any]()
    for panel in figure.axes:
        for handle, name in zip(*panel.get_legend_handles_labels(), strict=True):
            if panel.get_legend() is None and name not in written:
                shown.setdefault(name, handle)
    if shown:
        fitting = int(figure.get_figwidth() / (0.5 + 0.075 * max(map(len, shown))))
        columns = ceil(len(shown) / ceil(len(shown) / max(1, min(columns, fitting))))
        figure.legend(handles=list(shown.values()), labels=list(shown), loc="outside upper left", ncols=columns)


def letter(figure: Figure) -> None:
    """Mark the panels (a), (b) … before their titles, row by row; a single panel needs no mark."""
    for i, panel in enumerate(sorted(figure.axes, key=_place) if len(figure.axes) > 1 else ()):
        panel.set_title(f"({chr(97 + i)}) {panel.get_title(loc='left')}".rstrip())


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


def mark_stand_ins(figure: Figure, metadata: Mapping[str, Any]) -> None:
    """Say in the title of a panel that its data is a stand-in: `songs: released`, `(a) YouTube`."""
    for item in metadata["data"]:
        name = re.compile(rf"^(\([a-z]\) )?{re.escape(DATASETS[item['dataset']].label)}(?=$|[:,])")
        for panel in figure.axes if item["grade"].startswith("stand-in") else ():
            panel.set_title(name.sub(lambda found: f"{found[0]} (stand-in)", panel.get_title(loc="left")))


def add_footer(figure: Figure, metadata: Mapping[str, Any]) -> None:
    """Write the footer in a strip of its own below the figure, and what is a stand-in into the panels' titles."""
    mark_stand_ins(figure, metadata)
    width, height = figure.get_size_inches()
    lines = textwrap.wrap(footer(metadata), int(width * 18))
    strip = 0.06 + 0.125 * len(lines)
    figure.set_size_inches(width, height + strip)
    share = strip / (height + strip)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.set(rect=(0, share, 1, 1 - share))  # type: ignore[call-arg]
    figure.text(0.01, 0.02 / (height + strip), "\n".join(lines), fontsize=7, color=MUTED, va="bottom", ha="left")


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


def picture_of(drawer: ModuleType, scores: pd.DataFrame) -> Figure:
    """What a module draws of scores: its picture, or else its table as one."""
    figure: Figure = drawer.draw(scores) if hasattr(drawer, "draw") else draw_table(drawer.table(scores))
    return figure


def draw_table(table: pd.DataFrame) -> Figure:
    """A table as a picture, for figures that are tables."""
    cells = [[_cell(value) for value in row] for row in table.itertuples(index=False)]
    figure, axes = panels(height=0.35 + 0.24 * len(table))
    panel = axes[0, 0]
    panel.axis("off")
    drawn = panel.table(
        cells,
        colLabels=[str(name) for name in table.columns],
        loc="center",
        cellLoc="left",
        colLoc="left",
        edges="horizontal",
    )
    drawn.auto_set_font_size(False)
    drawn.set_fontsize(SMALL)
    drawn.auto_set_column_width(list(range(len(table.columns))))
    for (row, _), cell in drawn.get_celld().items():
        cell.set_edgecolor(MUTED if row == 0 else GRID)
        cell.set_linewidth(0.6)
        if row == 0:
            cell.get_text().set_fontweight("bold")
    # As wide as its columns.
    figure.set_figwidth(max(PAGE, drawn.get_window_extent().width / figure.dpi + 0.2))
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
