"""Draw section 6.1 as dots, and as a table."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS

#: What section 6.1 prints: test accuracy by σ², and of clean training.
PRINTED = {0.1: 94.4, 0.5: 93.0}
CLEAN = 95.7
#: Where in a method's row each accuracy stands, by which marker, and its name.
PARTS = {"train_accuracy": (-0.14, "o", "training"), "test_accuracy": (0.14, "s", "test")}


def draw(scores: pd.DataFrame) -> Figure:
    """Dots: accuracy of each method by training and test, after the most steps, with the printed values marked."""
    last = scores[scores["iterations"] == _last(scores)]
    levels = sorted(level for level in last["sigma2"].unique() if level > 0)
    figure, axes = style.panels(1, len(levels), height=3.2, sharey=True, sharex=True)
    for panel, level in zip(axes[0], levels, strict=True):
        part = last[last["sigma2"].isin([0, level])]
        rows = part[["method", "samples"]].drop_duplicates().reset_index(drop=True)
        for i, row in rows.iterrows():
            same = part["samples"].isna() if pd.isna(row["samples"]) else part["samples"] == row["samples"]
            _dots(panel, part[(part["method"] == row["method"]) & same], i)
        names = [
            METHODS[m].label.replace(" normal prior,", "") + ("" if pd.isna(s) else f", S = {s:g}")
            for m, s in rows.itertuples(index=False)
        ]
        panel.set_yticks(range(len(rows)), names)
        panel.set(title=f"σ² = {level:g}", xlabel="accuracy, %", ylim=(len(rows) - 0.4, -0.6))
        if level in PRINTED:
            panel.axvline(PRINTED[level], label="printed, test", linestyle="--", linewidth=0.9, color=palette.INK)
        panel.axvline(CLEAN, label="printed, clean test", linestyle=":", linewidth=0.9, color=palette.MUTED)
    style.finish(figure)
    return figure


def _last(scores: pd.DataFrame) -> int:
    """The most steps of methods that learn from noisy images: clean training was stopped later, too."""
    return int(scores.loc[scores["method"] != "clean", "iterations"].max())


def _dots(panel: Axes, part: pd.DataFrame, place: int) -> None:
    """Training above, test below, each with its interval."""
    for column, (shift, marker, name) in PARTS.items():
        found = 100 * style.interval(part.assign(all=0), ["all"], column)[["mean", "low", "high"]].iloc[0]
        reach = [[found["mean"] - found["low"]], [found["high"] - found["mean"]]]
        colour = METHODS[part["method"].iloc[0]].color
        panel.errorbar(found["mean"], place + shift, xerr=reach, color=colour, marker=marker, linestyle="none")
        # One key for all methods: what tells training from test is the marker.
        if place == 0:
            panel.plot([], [], marker=marker, linestyle="none", color=palette.INK, label=name)


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Means with 95 % intervals over trials; `loss`: test accuracy lost against clean data, same trial."""
    last = _last(scores)
    clean = scores[(scores["method"] == "clean") & (scores["iterations"] == last)].set_index("trial")["test_accuracy"]
    scores = scores.assign(loss=scores["trial"].map(clean) - scores["test_accuracy"])
    rows = []
    for (sigma2, method, samples, steps), part in scores.groupby(
        ["sigma2", "method", "samples", "iterations"], dropna=False
    ):
        row = {
            "σ²": sigma2,
            "method": METHODS[method].label,
            "S": "" if pd.isna(samples) else str(int(samples)),
            "iterations": steps,
            "‖θ‖": f"{part['theta_norm'].mean():.2f}",
        }
        for column, name in (("train_accuracy", "train %"), ("test_accuracy", "test %"), ("loss", "loss %")):
            found = style.interval(part.assign(all=0), ["all"], column).iloc[0]
            row[name] = f"{100 * found['mean']:.2f} ± {100 * (found['high'] - found['mean']):.2f}"
        rows.append(row)
    return pd.DataFrame(rows)
