"""Draw what counts teach, and how many tagged tokens would teach as much."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.common.today.picture import head
from replication.palette import METHODS, looks_of
from replication.papers.linear_moments.claims.today_tags import equal_tokens


def draw(scores: pd.DataFrame) -> Figure:
    """Error from tagged tokens, each method's from counts as a level; and their worth in tagged tokens."""
    windows = sorted(set(scores["window"]) - {0})
    figure, axes = style.panels(1, len(windows), height=2.8, sharey=True)
    tagged = scores[scores["method"] == "supervised"].rename(columns={"n": "tokens"})
    for panel, window in zip(axes[0], windows, strict=True):
        own = scores[scores["window"] == window]
        style.curve(panel, tagged, "tokens", "error", METHODS["supervised"], label="tagged tokens")
        for method, look in looks_of(own["method"]).items():
            part = own[own["method"] == method]
            worth = equal_tokens(scores, method, window)
            place = float(np.exp(np.log(worth.clip(lower=tagged["tokens"].min())).mean()))
            style.bars(panel, [place], style.interval(part, ["window"], "error"), look, markersize=7)
        panel.set_title(f"counts of {window} words")
        style.log_axis(panel, sorted(tagged["tokens"].unique()), [f"{n:,}" for n in sorted(tagged["tokens"].unique())])
    style.label(axes, "tagged tokens that teach as much", "share of wrong tags")
    style.finish(figure, columns=3)
    title = f"A window counted in each sentence teaches as much as, {facts(scores)['worth']}"
    head(figure, title)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """What the counts of each length are worth by the best method."""
    found = []
    for window in sorted(set(scores["window"]) - {0}):
        own = scores[scores["window"] == window].groupby("method")["error"].mean()
        best = str(own.idxmin())
        worth = equal_tokens(scores, best, window).median()
        found.append(f"of {window} words {worth:,.0f} tokens ({METHODS[best].label})")
    return {"worth": ", ".join(found)}
