"""Draw finite samples: how often the estimates exist, and their errors over what the asymptotics promise."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from replication import palette, style
from replication.palette import METHODS

#: Estimator and projection, and the name of their look.
SHOWN = {("moments", "kl"): "moments", ("one_step", "kl"): "one_step", ("marginal", "none"): "marginal"}
DASHES = ("-", "--", "-.", ":")


def draw(scores: pd.DataFrame) -> Figure:
    """A column a θ; above, shares of samples with a finite estimate; below, median errors."""
    thetas, epsilons = list(dict.fromkeys(scores["theta"])), sorted(scores["epsilon"].unique())
    figure, axes = style.panels(1 + len(epsilons), len(thetas), height=1.5, sharex=True)
    looks = palette.scale(epsilons, "moments exist, ε = {:g}")
    for column, theta in enumerate(thetas):
        own = scores[scores["theta"] == theta]
        _existence(axes[0, column], own[(own["estimator"] == "moments") & (own["project"] == "none")], looks)
        axes[0, column].set_title(f"θ = ({theta.replace(' ', ', ')})")
        for row, epsilon in enumerate(epsilons, 1):
            _errors(axes[row, column], own[own["epsilon"] == epsilon])
            axes[row, column].set_title(f"ε = {epsilon:g}")
    style.label(axes, "n, observations", ["share that exist", *("n · median\nsquared error" for _ in epsilons)])
    style.finish(figure, columns=4)
    return figure


def _existence(axes: Axes, scores: pd.DataFrame, looks: dict[object, palette.Method]) -> None:
    for epsilon, look in looks.items():
        counts = scores[scores["epsilon"] == epsilon].groupby("n")["exists"].agg(["sum", "count"])
        share, low, high = wilson(counts["sum"].to_numpy(), counts["count"].to_numpy())
        table = pd.DataFrame({"n": counts.index, "mean": share, "low": low, "high": high})
        style.band(axes, table, "n", look, markersize=2.5)
    axes.set(xscale="log", ylim=(-0.03, 1.03))


def wilson(hits: np.ndarray, of: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A share with its 95 % interval (Wilson 1927)."""
    z, share = 1.96, hits / of
    middle = (share + z**2 / (2 * of)) / (1 + z**2 / of)
    half = z / (1 + z**2 / of) * np.sqrt(share * (1 - share) / of + z**2 / (4 * of**2))
    return share, middle - half, middle + half


def _errors(axes: Axes, scores: pd.DataFrame) -> None:
    for (estimator, project), name in SHOWN.items():
        own = scores[(scores["estimator"] == estimator) & (scores["project"] == project)]
        # No finite estimate is an infinite error.
        medians = own.assign(error=own["squared_error"].fillna(np.inf) * own["n"]).groupby("n")["error"]
        table = pd.DataFrame(
            {"mean": medians.median(), "low": medians.apply(_order, -1), "high": medians.apply(_order, 1)}
        )
        style.band(axes, table.replace(np.inf, np.nan).reset_index(), "n", METHODS[name], markersize=2.5)
    axes.set(xscale="log", yscale="log")
    axes.minorticks_off()
    # Powers of ten alone would leave panels of less than a decade without a number.
    low, high = axes.get_ylim()
    steps = (1.0, 2.0, 5.0) if high > 5 * low else (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0)
    axes.yaxis.set_major_locator(LogLocator(subs=steps, numticks=6))
    axes.yaxis.set_major_formatter("{x:,g}")


def _order(errors: pd.Series, side: int) -> float:
    """The end of a 95 % interval for the median: an order statistic, whatever the distribution."""
    n = len(errors)
    rank = np.clip(round(n / 2 + side * 1.96 * np.sqrt(n) / 2), 0, n - 1)
    return float(np.sort(errors)[rank])
