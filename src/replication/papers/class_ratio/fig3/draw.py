"""Figure 3: error of the estimates under privacy, over the mixture of the test set."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS
from replication.papers.class_ratio.panels import by_method

KEYS = ["dataset", "rho", "estimator", "mechanism", "x"]


def draw(scores: pd.DataFrame) -> Figure:
    """Top: no privacy, by estimator. Below, one row for each ρ: what each mechanism adds to MMD's error."""
    each, added = means(scores), excess(scores)
    datasets, rhos = list(dict.fromkeys(scores["dataset"])), sorted(set(scores["rho"]))
    figure, axes = style.panels(1 + len(rhos), len(datasets), height=1.75, sharex="col")
    for column, dataset in zip(axes.T, datasets, strict=True):
        plain = each[(each["dataset"] == dataset) & (each["mechanism"] == "none") & (each["rho"] == rhos[0])]
        _curves(column[0], plain, "estimator")
        column[0].set_title(f"{dataset}, no privacy")
        column[0].set_ylim(bottom=0)
        for panel, rho in zip(column[1:], rhos, strict=True):
            own = added[(added["dataset"] == dataset) & (added["rho"] == rho) & (added["estimator"] == "mmd")]
            if own.empty:
                panel.remove()
                continue
            _curves(panel, own, "mechanism")
            panel.axhline(0, color=palette.MUTED, linewidth=0.6, zorder=1)
            missing = _missing(scores, dataset, rho)
            panel.text(
                0.98, 0.98, "\n".join(missing), transform=panel.transAxes, ha="right", va="top", fontsize=style.SMALL
            )
            panel.set_title(f"{dataset}, ρ = {rho:g}")
            panel.margins(y=0.25 if missing else 0.08)
    style.label(axes, "share x in the test set", ["L1 error", *["error added by privacy"] * len(rhos)])
    style.finish(figure, columns=3)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """What Laplace noise costs of all error, which no mechanism can save more of; and what the diagonal costs."""
    mean = means(scores).groupby(KEYS[:4])["l1_error"].mean()
    saved, biased = [], []
    for (dataset, rho, estimator), own in mean.groupby(level=[0, 1, 2]):
        errors = own.droplevel([0, 1, 2])
        if estimator == "mmd" and {"none", "laplace"} <= set(errors.index):
            saved.append(f"{dataset} at ρ = {rho:g} {1 - errors['none'] / errors['laplace']:.0%}")
        if estimator == "mmd" and (dataset, rho, "mmd_unbiased", "none") in mean.index:
            other = mean[dataset, rho, "mmd_unbiased", "none"]
            biased.append(f"{dataset} at ρ = {rho:g} {errors['none']:.3f} as printed and {other:.3f} unbiased")
    return {"ceiling": ", ".join(saved), "diagonal": "; ".join(biased)}


def means(scores: pd.DataFrame) -> pd.DataFrame:
    """The mean error over draws and over the common classes, each of which counts alike, by trial."""
    by = [*KEYS, "trial"]
    return scores.groupby([*by, "dominant"])["l1_error"].mean().groupby(by).mean().reset_index().dropna()


def excess(scores: pd.DataFrame) -> pd.DataFrame:
    """The same less what the estimator's error without privacy is in the same trial."""
    each = means(scores)
    plain = each[each["mechanism"] == "none"].drop(columns="mechanism")
    paired = each[each["mechanism"] != "none"].merge(plain, on=["dataset", "rho", "estimator", "x", "trial"])
    return paired.assign(l1_error=paired["l1_error_x"] - paired["l1_error_y"])


def _curves(panel: Axes, rows: pd.DataFrame, by: str) -> None:
    table = style.interval(rows, [by, "x"], "l1_error")
    for look, own in by_method(table, by):
        floor = own["low"] if by == "mechanism" else own["low"].clip(lower=0)
        style.band(panel, own.assign(low=floor), "x", look, markersize=2.5, linewidth=1)


def _missing(scores: pd.DataFrame, dataset: str, rho: float) -> list[str]:
    """What has no scale there."""
    own = scores[(scores["dataset"] == dataset) & (scores["rho"] == rho) & (scores["status"] == "no_scale")]
    return [f"{METHODS[name].label}: no σ" for name in dict.fromkeys(own["mechanism"])]
