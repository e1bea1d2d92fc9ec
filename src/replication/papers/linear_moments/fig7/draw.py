"""Draw figure 7: the two methods of the paper and the ceiling against passes, and the lead of one over the other."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS, Method

#: The paper's two methods and the ceiling; the other arms are drawn against their cost.
SHOWN = ("supervised", "marginal_beam", "moments_sgd_all")
FIRST, SECOND = "moments_sgd_all", "marginal_beam"
MAIN = "treebank"
LEADS = {"treebank": Method("Treebank", palette.INK, "o"), "ewt": Method("EWT", palette.MUTED, "s", "--")}
COLUMNS = 3
#: Leads within this are drawn on a straight scale, beyond it on a logarithmic one.
STRAIGHT = 0.02
TWICE = "a sweep as two passes, Treebank"


def draw(scores: pd.DataFrame) -> Figure:
    """A panel a window size with test (markers) and train (thin) accuracy, below it the lead on the test sentences."""
    windows = in_order(scores["window"].unique())
    blocks = -(-len(windows) // COLUMNS)
    ratios = {"height_ratios": [1.5, 1] * blocks}
    figure, axes = style.panels(2 * blocks, COLUMNS, height=1.4, sharex=True, gridspec_kw=ratios)
    leads = pair_leads(scores, FIRST, SECOND)
    for i in range(blocks * COLUMNS):
        above, below = axes[2 * (i // COLUMNS), i % COLUMNS], axes[2 * (i // COLUMNS) + 1, i % COLUMNS]
        if i >= len(windows):
            above.remove()
            below.remove()
            continue
        own = scores[scores["window"] == windows[i]]
        _accuracies(above, own[own["corpus"] == MAIN])
        above.set_title(row_name(windows[i]))
        if (leads["window"] == windows[i]).any():
            _leads(below, leads[leads["window"] == windows[i]])
    style.label(axes, "passes", ["accuracy", "lead"] * blocks)
    style.finish(figure, columns=3)
    return figure


def in_order(windows: Iterable[int]) -> list[int]:
    """Small to large, whole sentences (0) last."""
    return sorted(map(int, windows), key=lambda window: window or np.inf)


def row_name(window: int) -> str:
    """What stands beside a row of panels."""
    return f"w = {window}" if window else "sentence"


def pair_leads(scores: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Test accuracy of `first` minus that of `second`, with 95 % intervals: trials, and the choice of the sentences."""
    test = scores[scores["split"] == "test"]
    keys = ["corpus", "window", "passes", "trial"]
    one, other = (test[test["estimator"] == name].set_index(keys) for name in (first, second))
    sd = f"lead_{second.removeprefix('marginal_')}_sd"
    lead = pd.DataFrame({"lead": one["accuracy"] - other["accuracy"], "sd": one[sd]}).dropna().reset_index()
    table = style.interval(lead, keys[:-1], "lead")
    sampling = 1.96 * lead.groupby(keys[:-1])["sd"].mean().to_numpy()
    half = np.hypot(table["high"] - table["mean"], sampling)
    # With a sweep counted as two passes, the moments of half as many sweeps meet the other.
    halved = one["accuracy"].reset_index().assign(passes=lambda row: 2 * row["passes"]).set_index(keys)["accuracy"]
    twice = (halved - other["accuracy"]).dropna().groupby(keys[:-1]).mean().rename("twice")
    table = table.assign(low=table["mean"] - half, high=table["mean"] + half)
    return table.merge(twice, how="left", left_on=keys[:-1], right_index=True)


def _accuracies(axes: Axes, scores: pd.DataFrame) -> None:
    curves = style.interval(scores, ["estimator", "split", "passes"], "accuracy").set_index(["estimator", "split"])
    shown = [name for name in SHOWN if (name, "test") in curves.index]
    whole = curves.loc[shown]
    low, high = whole.loc[whole["passes"] >= 0.25, "mean"].min(), whole["mean"].max()
    floor = max(0.0, low - 0.05 * (high - low))
    for name in shown:
        look = METHODS[name]
        test, train = curves.loc[[(name, "test")]], curves.loc[[(name, "train")]]
        style.band(axes, test, "passes", look, markersize=2)
        axes.plot(train["passes"], train["mean"], color=look.color, linewidth=0.7, linestyle=look.linestyle)
        below = test.loc[test["mean"] < floor, "passes"]
        if len(below):  # what falls off the axis stands on its edge
            axes.plot(below, [floor] * len(below), marker=7, color=look.color, linestyle="none", clip_on=False)
    axes.set_ylim(floor, high + 0.08 * (high - floor))
    scale_passes(axes)
    axes.plot([], [], color=palette.MUTED, linewidth=0.7, label="thin: on the training sentences")
    axes.plot([], [], color=palette.MUTED, marker=7, linestyle="none", label="lies below the axis")


def _leads(axes: Axes, leads: pd.DataFrame) -> None:
    for corpus, look in LEADS.items():
        own = leads[leads["corpus"] == corpus]
        if len(own):
            style.band(axes, own, "passes", look, label=f"lead, {look.label}", markersize=2)
    twice = leads[leads["corpus"] == MAIN].dropna(subset="twice")
    axes.plot(twice["passes"], twice["twice"], color=palette.INK, linestyle=":", linewidth=1, label=TWICE)
    axes.axhline(0, color=palette.INK, linewidth=0.6)
    axes.set_yscale("symlog", linthresh=STRAIGHT)
    axes.set_yticks([-0.1, -STRAIGHT, 0, STRAIGHT, 0.1, 0.5], ["−.1", "−.02", "0", ".02", ".1", ".5"])
    axes.minorticks_off()
    reach = leads[["low", "high"]].abs().to_numpy().max(initial=STRAIGHT)
    lowest = leads.loc[leads["corpus"] == MAIN, ["low", "twice"]].min().min()
    axes.set_ylim(max(1.3 * min(lowest, leads["low"].min(), -STRAIGHT), -1), min(1.3 * reach, 1))
    scale_passes(axes)


def scale_passes(axes: Axes) -> None:
    """Passes on a logarithmic axis, as plain numbers."""
    style.log_axis(axes, (0.1, 0.3, 1, 3, 10))
