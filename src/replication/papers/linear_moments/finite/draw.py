"""Draw finite samples: how often the moment estimate exists, and all errors over what the asymptotics promise."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS
from unveil.types import Floats

#: Estimator and projection, and the name of their look.
SHOWN = {("moments", "kl"): "moments", ("one_step", "kl"): "one_step", ("marginal", "none"): "marginal"}


def draw(scores: pd.DataFrame) -> Figure:
    """A column a θ; shares of samples with a finite estimate, then median errors at the least and the greatest ε."""
    thetas, epsilons = list(dict.fromkeys(scores["theta"])), sorted(scores["epsilon"].unique())
    figure, axes = style.panels(3, len(thetas), height=2.1, sharex=True)
    looks = palette.scale(epsilons, "ε = {:g}")
    for column, theta in zip(axes.T, thetas, strict=True):
        own = scores[scores["theta"] == theta]
        _existence(column[0], own[(own["estimator"] == "moments") & (own["project"] == "none")], looks)
        column[0].set_title(f"estimate exists, θ = ({theta.replace(' ', ', ').replace('-', '−')})")
        for panel, epsilon in zip(column[1:], (epsilons[0], epsilons[-1]), strict=True):
            _errors(panel, own[own["epsilon"] == epsilon])
            panel.set_title(f"error, ε = {epsilon:g}")
    style.label(axes, "n, observations", ["share of samples", "n · median\nsquared error", "n · median\nsquared error"])
    for row in axes[:2]:
        style.label_ends(row[-1], width=14)
    style.finish(figure)
    return figure


def _existence(axes: Axes, scores: pd.DataFrame, looks: dict[object, palette.Method]) -> None:
    for epsilon, look in looks.items():
        counts = scores[scores["epsilon"] == epsilon].groupby("n")["exists"].agg(["sum", "count"])
        share, low, high = wilson(counts["sum"].to_numpy(), counts["count"].to_numpy())
        style.band(axes, pd.DataFrame({"n": counts.index, "mean": share, "low": low, "high": high}), "n", look)
    axes.set(xscale="log", ylim=(-0.03, 1.03))


def wilson(hits: Floats, of: Floats) -> tuple[Floats, Floats, Floats]:
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
        style.band(axes, table.replace(np.inf, np.nan).reset_index(), "n", METHODS[name])
    axes.set(xscale="log", yscale="log")
    low, high = axes.get_ylim()
    ticks = [step * 10.0**power for power in range(-2, 7) for step in (1, 1.5, 2, 3, 5)]
    axes.set_yticks([tick for tick in ticks if low <= tick <= high])
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.minorticks_off()


def _order(errors: pd.Series, side: int) -> float:
    """The end of a 95 % interval for the median: an order statistic, whatever the distribution."""
    n = len(errors)
    rank = np.clip(round(n / 2 + side * 1.96 * np.sqrt(n) / 2), 0, n - 1)
    return float(np.sort(errors)[rank])
