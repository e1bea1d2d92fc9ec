"""Draw the judge's own figure: his verdicts on simulated truths, and how many trials decide which effect."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.judging.power import ALLOWED, EXAMPLE_MATTERS, SHOWN_SETTINGS
from replication.palette import VERDICTS

#: A claim about some setting is one about all, the other way round.
TITLES = {"all": "all settings", "typical": "two thirds of them", "number": "a number"}
FALSE = palette.Method("false in 5 %", palette.MUTED, "", ":")
EFFECTS = (0.1, 0.5, 2, 10)
TRIALS = (3, 10, 30, 100)


def draw(table: pd.DataFrame) -> Figure:
    """Above the verdicts by true effect, below the effects that numbers of trials decide; a column a quantifier."""
    figure, axes = style.panels(2, len(TITLES), height=2.4, sharey="row")
    for column, (quantifier, title) in enumerate(TITLES.items()):
        own = table[table["quantifier"] == quantifier]
        _verdicts(axes[0, column], own, quantifier)
        _draw_decided(axes[1, column], own[own["panel"] == "decided"])
        axes[0, column].set_title(title)
        axes[1, column].set_title(f"{title}: decided")
    for panel in axes[0]:
        panel.set_xlabel("true effect / noise")
    for panel in axes[1]:
        panel.set_xlabel("trials")
    axes[0, 0].set_ylabel("share of verdicts")
    axes[1, 0].set_ylabel("effect decided / noise")
    style.finish(figure, columns=4)
    return figure


def _verdicts(axes: Axes, table: pd.DataFrame, quantifier: str) -> None:
    """Shaded: differences that are there and too small to matter; numbers that are near enough to the printed one."""
    axes.axvspan(-EXAMPLE_MATTERS if quantifier == "number" else 0, EXAMPLE_MATTERS, color=palette.SHADE, zorder=0)
    plain = table[table["panel"] == "verdicts"]
    for verdict in ("reproduced", "contradicted"):
        part = plain[plain["verdict"] == verdict]
        axes.plot(part["effect"], part["probability"], label=VERDICTS[verdict].label, **VERDICTS[verdict].stroke)
        part = table[(table["panel"] == "choices") & (table["verdict"] == verdict)]
        faint = {**VERDICTS[verdict].stroke, "alpha": 0.4}
        axes.plot(part["effect"], part["probability"], label=f"{VERDICTS[verdict].label}, four alternatives", **faint)
    sums = plain.groupby("effect")["probability"].sum()
    axes.plot(sums.index, 1 - sums, label="neither", **VERDICTS["undecided"].stroke)
    style.level(axes, ALLOWED, FALSE)


def _draw_decided(axes: Axes, table: pd.DataFrame) -> None:
    for settings, look in palette.scale(SHOWN_SETTINGS[::2], "{} settings").items():
        for verdict, line in (("reproduced", "-"), ("contradicted", "--")):
            part = table[(table["settings"] == settings) & (table["verdict"] == verdict)]
            if part.empty:
                continue
            name = look.label if line == "-" and settings > 1 else "1 setting" if line == "-" else "_"
            axes.plot(part["trials"], part["effect"], color=look.color, linestyle=line, label=name)
    style.log_axis(axes, TRIALS)
    axes.set_yscale("log")
    axes.set_yticks(EFFECTS, [f"{effect:g}" for effect in EFFECTS])
    axes.minorticks_off()
