"""Draw figure 7 by the number of sentences: the lead of moments against passes, and against windows seen."""

import pandas as pd
from matplotlib.figure import Figure

from replication import palette, style
from replication.papers.linear_moments.fig7.draw import in_order, row_name
from replication.papers.linear_moments.fig7_size.overtaking import WSJ, leads, overtaken, trend

AXES = {"passes": "passes", "windows_seen": "windows seen"}
TICKS = {"passes": (0.1, 1, 10), "windows_seen": (10, 100, 1000, 10_000)}
CORPORA = {"treebank": "Treebank", "ewt": "EWT"}


def draw(scores: pd.DataFrame) -> Figure:
    """A row a window size; a line a corpus and number of sentences, in points of test accuracy."""
    lead = leads(scores).assign(lead=lambda row: 100 * row["lead"])
    lead["windows_seen"] = lead["passes"] * lead["n_train"]
    sizes = [(corpus, n) for corpus in CORPORA for n in sorted(lead.loc[lead["corpus"] == corpus, "n_train"].unique())]
    looks = palette.scale(sizes)
    windows = in_order(lead["window"].unique())
    figure, axes = style.panels(len(windows), len(AXES), height=2.2, sharey="row", sharex="col")
    for i, window in enumerate(windows):
        for axis, x in zip(axes[i], AXES, strict=True):
            part = lead[lead["window"] == window]
            for corpus, n in sizes:
                own = part[(part["corpus"] == corpus) & (part["n_train"] == n)]
                mean = own.groupby(x)["lead"].mean()
                name = f"{CORPORA[corpus]}, {n:,}"
                axis.plot(mean.index, mean, label=name, markersize=2.5, **looks[corpus, n].line)
            axis.axhline(0, color=palette.INK, linewidth=0.6)
            style.log_axis(axis, TICKS[x])
            axis.set_title(f"{row_name(window)}, by {AXES[x]}")
            axis.set_ylim(bottom=max(axis.get_ylim()[0], -12))
    style.label(axes, None, "lead of moments, points")
    for axis, x in zip(axes[-1], AXES.values(), strict=True):
        axis.set_xlabel(x)
    style.finish(figure, columns=3)
    return figure


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """When the beam overtakes, in the median trial, and what a power law over n says of the paper's corpus."""
    found = overtaken(leads(scores))
    rows = []
    for (corpus, window), own in found.groupby(["corpus", "window"], sort=False):
        where = {"corpus": CORPORA[str(corpus)], "window": row_name(int(str(window)))}
        middle = own.groupby("n_train")[["passes", "windows"]].median()
        rows += [{**where, "sentences": f"{n:,}", **row} for n, row in middle.iterrows()]
        said = trend(own)
        ends = {name: said[f"windows{end}"] / WSJ for name, end in (("passes", ""), ("from", "_low"), ("to", "_high"))}
        rows.append({**where, "sentences": f"{WSJ:,}, extrapolated", "windows": said["windows"], **ends})
    return pd.DataFrame(rows, columns=["corpus", "window", "sentences", "passes", "from", "to", "windows"])
