"""Draw what counts teach, how many tagged tokens would teach as much, and what it takes."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.common.today.picture import head
from replication.palette import METHODS, looks_of
from replication.papers.linear_moments.claims.today_tags import at_end, at_work, equal_tokens
from replication.papers.linear_moments.fig7_size.draw import CORPORA


def draw(scores: pd.DataFrame) -> Figure:
    """A column a corpus, by its longest windows: errors on the line of tagged tokens, and against work."""
    window, corpora = scores["window"].max(), list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(2, len(corpora), height=2.4, sharey=True)
    for corpus, (upper, lower) in zip(corpora, axes.T, strict=True):
        own = scores[scores["dataset"] == corpus]
        tagged = own[own["method"] == "supervised"].rename(columns={"n": "tokens"})
        style.curve(upper, tagged, "tokens", "error", METHODS["supervised"], label="tagged tokens")
        counted = own[own["window"] == window]
        for method, look in looks_of(counted["method"]).items():
            part = counted[counted["method"] == method]
            worth = equal_tokens(own, method, window)
            place = float(np.exp(np.log(worth.clip(lower=tagged["tokens"].min())).mean()))
            style.bars(upper, [place], style.interval(at_end(part), ["window"], "error"), look, markersize=7)
            path = style.interval(part.dropna(subset="passes"), ["passes"], "error")
            path["work"] = part.groupby("passes")["work"].mean().to_numpy()
            style.band(lower, path, "work", look, markersize=2.5)
        upper.set_title(CORPORA[corpus])
        ticks = sorted(tagged["tokens"].unique())
        style.log_axis(upper, ticks, [f"{n:g}" if n < 1000 else f"{n / 1000:g}k" for n in ticks])
        upper.set_xlabel("tagged tokens that teach as much")
        lower.set(xscale="log", xlabel="work (numbers changed)")
    style.label(axes, None, "share of wrong tags")
    style.finish(figure, columns=3)
    head(figure, f"{window} words counted in each sentence teach as much as {facts(scores)['worth']}")
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """What the counts of the longest windows are worth by the best method."""
    longest, found = scores[scores["window"].isin([0, scores["window"].max()])], []
    for corpus, own in longest.groupby("dataset", sort=False):
        best = str(at_end(own[own["window"] > 0]).groupby("method")["error"].mean().idxmin())
        worth = equal_tokens(own, best, own["window"].max()).median()
        found.append(f"{worth:,.0f} tagged tokens of {CORPORA[corpus]} ({METHODS[best].label})")
    return {"worth": ", ".join(found)}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """A row a corpus, window and method: errors in the end, and after what the cheapest method's passes take."""
    found = []
    for (corpus, window), own in scores[scores["window"] > 0].groupby(["dataset", "window"], sort=False):
        together = pd.concat([own, scores[(scores["dataset"] == corpus) & (scores["window"] == 0)]])
        ends = at_end(own).groupby("method")["error"].mean()
        cheapest = str(own.groupby("method")["work"].max().idxmin())
        level = at_work(own, cheapest).mean()
        found += [
            {
                "corpus": CORPORA[corpus],
                "words": window,
                "method": METHODS[method].label,
                "wrong tags in the end, %": f"{100 * ends[method]:.1f}",
                "after the least work of all, %": f"{100 * level[method]:.1f}",
                "worth, tagged tokens": f"{equal_tokens(together, method, window).median():,.0f}",
            }
            for method in ends.index
        ]
    return pd.DataFrame(found)
