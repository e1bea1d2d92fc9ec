"""Draw accuracy against α with λ tuned, by mechanism; a table of all losses, rules and mechanisms stands beside it."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS, TITLES, looks_of

MEASURES = {"accuracy": "accuracy", "auc": "AUC"}
#: The loss of the comparison of mechanisms.
LOSS = "logistic"
#: The rule by which λ is chosen where it can be; output perturbation leaves nothing to choose.
TUNED = {"output": "public"}


def draw(scores: pd.DataFrame) -> Figure:
    """One column a data set."""
    return by_mechanism(scores, "accuracy")


def by_mechanism(scores: pd.DataFrame, measure: str) -> Figure:
    """A measure of the logistic loss against α, one column a data set, one line a mechanism."""
    curves = keep_tuned(scores[scores["panel"] == "alpha"])
    datasets = list(curves["dataset"].unique())
    figure, axes = style.panels(1, len(datasets), height=3.0)
    for panel, dataset in zip(axes[0], datasets, strict=True):
        part = curves[curves["dataset"] == dataset]
        own = part[part["loss"] == LOSS]
        ceiling, floor = levels(panel, part, own, measure)
        draw_mechanisms(panel, own, "alpha", measure)
        alpha_axis(panel, own, ceiling, floor)
        panel.set_title(TITLES[dataset])
    style.label(axes, "α", MEASURES[measure])
    style.finish(figure)
    return figure


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """The level that the printed noise scale really keeps, over α."""
    printed = scores[scores["mechanism"] == "printed"]
    ratios = (printed["true_alpha"] / printed["alpha"]).groupby(printed["dataset"], sort=False).mean()
    return {"printed": ", ".join(f"{ratio:.1f} α ({TITLES[dataset]})" for dataset, ratio in ratios.items())}


def keep_tuned(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows with λ chosen by what was released, or by public numbers where the owner must choose."""
    return scores[scores["rule"] == scores["mechanism"].map(TUNED).fillna("released")]


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracy and AUC of every rule, loss, mechanism and α, with half the width of a 95 % interval."""
    by = ["dataset", "loss", "mechanism", "alpha", "rule"]
    part = scores[scores["panel"] == "alpha"]
    about = part.groupby(by, sort=True)
    columns = {"true α": about["true_alpha"].mean().to_numpy(), "median λ": about["l2"].median().to_numpy()}
    for measure, name in MEASURES.items():
        found = style.interval(part, by, measure)
        columns |= {name: found["mean"], f"± {name}": found["high"] - found["mean"]}
    return found[by].assign(**columns)


def levels(axes: Axes, clean: pd.DataFrame, scores: pd.DataFrame, measure: str) -> tuple[float, float]:
    """The best clean model's level, tuned, whatever its loss; and what guessing gives."""
    ceiling = clean[clean["mechanism"] == "none"].groupby("loss")[measure].mean().max()
    floor = scores["base_rate"].mean() if measure == "accuracy" else 0.5
    style.level(axes, ceiling, METHODS["none"])
    style.level(axes, floor, METHODS["chance"], at=0.98)
    return ceiling, floor


def alpha_axis(axes: Axes, scores: pd.DataFrame, ceiling: float, floor: float) -> None:
    """From somewhat below guessing to the ceiling: what is worse than guessing by more leaves the panel."""
    alphas = sorted(scores.loc[scores["mechanism"] != "none", "alpha"].unique())
    style.log_axis(axes, alphas[::2])
    gap = ceiling - floor
    axes.set(ylim=(floor - 0.3 * gap, ceiling + 0.15 * gap))


def draw_mechanisms(axes: Axes, scores: pd.DataFrame, x: str, measure: str) -> None:
    """One curve a mechanism."""
    for name, look in looks_of(set(scores["mechanism"]) - {"none"}).items():
        part = scores[scores["mechanism"] == name]
        if part[measure].notna().any():
            style.curve(axes, part, x, measure, look)
