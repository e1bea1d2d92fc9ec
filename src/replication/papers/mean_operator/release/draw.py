"""Draw accuracy and AUC against α with λ tuned, what tuning is worth, and how mechanisms change places as m grows."""

from itertools import product

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS, RULES, TITLES, looks_of
from unveil.types import Array

MEASURES = {"accuracy": "accuracy", "auc": "AUC"}
#: The loss of the comparison of mechanisms, and the mechanism of the comparison of rules.
LOSS, MECHANISM = "logistic", "laplace"
#: The rules that are drawn; all are in the table.
SHOWN = ("fixed", "released")
#: The rule by which λ is chosen where it can be; output perturbation leaves nothing to choose.
TUNED = {"output": "public"}


def draw(scores: pd.DataFrame) -> Figure:
    """One column a data set: accuracy and AUC by mechanism, accuracy by loss and rule; below a row against m."""
    curves, sweep = scores[scores["panel"] == "alpha"], keep_tuned(scores[scores["panel"] == "m"])
    datasets = curves["dataset"].unique()
    figure, axes = style.panels(4, len(datasets), height=1.75)
    for column, dataset in enumerate(datasets):
        part = curves[curves["dataset"] == dataset]
        for row, measure in enumerate(MEASURES):
            _mechanisms(axes[row, column], keep_tuned(part), measure)
            axes[row, column].set_title(f"{TITLES[dataset]}: {LOSS}")
        _rules(axes[2, column], part)
        axes[2, column].set_title(f"{TITLES[dataset]}: Laplace")
    _sweep_row(axes[-1], sweep)
    style.label(axes[:3], y=["accuracy", "AUC", "accuracy"])
    style.finish(figure, columns=4)
    return figure


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


def _mechanisms(axis: Axes, scores: pd.DataFrame, measure: str) -> None:
    own = scores[scores["loss"] == LOSS]
    ceiling, floor = _levels(axis, scores, own, measure)
    _curves(axis, own, "alpha", measure)
    printed = own[own["mechanism"] == "printed"]
    ratio = (printed["true_alpha"] / printed["alpha"]).mean()
    axis.text(0.98, 0.03, f"printed: ε = {ratio:.1f} α", transform=axis.transAxes, ha="right", fontsize=6)
    _alpha_axis(axis, own, ceiling, floor)


def _rules(axis: Axes, scores: pd.DataFrame) -> None:
    """A loss has its colour and marker, a rule its dash."""
    ceiling, floor = _levels(axis, keep_tuned(scores), scores, "accuracy")
    own = scores[scores["mechanism"] == MECHANISM]
    for loss, (rule, look) in product(own["loss"].unique(), [(rule, RULES[rule]) for rule in SHOWN]):
        part = own[(own["loss"] == loss) & (own["rule"] == rule)]
        label = f"{METHODS[loss].label}, {look.label}"
        style.curve(axis, part, "alpha", "accuracy", METHODS[loss], label=label, linestyle=look.linestyle)
    _alpha_axis(axis, own, ceiling, floor)


def _levels(axis: Axes, clean: pd.DataFrame, scores: pd.DataFrame, measure: str) -> tuple[float, float]:
    """The best clean model's level, tuned, whatever its loss; and what guessing gives."""
    ceiling = clean[clean["mechanism"] == "none"].groupby("loss")[measure].mean().max()
    floor = scores["base_rate"].mean() if measure == "accuracy" else 0.5
    style.level(axis, ceiling, METHODS["none"])
    style.level(axis, floor, METHODS["chance"])
    return ceiling, floor


def _alpha_axis(axis: Axes, scores: pd.DataFrame, ceiling: float, floor: float) -> None:
    """From somewhat below guessing to the ceiling: what is worse than guessing by more leaves the panel."""
    style.log_axis(axis, sorted(scores.loc[scores["mechanism"] != "none", "alpha"].unique()))
    gap = ceiling - floor
    axis.set(xlabel="α", ylim=(floor - 0.5 * gap, ceiling + 0.08 * gap))


def _curves(axis: Axes, scores: pd.DataFrame, x: str, measure: str) -> None:
    for name, look in looks_of(set(scores["mechanism"]) - {"none"}).items():
        part = scores[scores["mechanism"] == name]
        if part[measure].notna().any():
            style.curve(axis, part, x, measure, look)


def _sweep_row(axes: Array, sweep: pd.DataFrame) -> None:
    """How far the statistic is off, with the predicted crossovers; AUC at the strictest and the loosest α."""
    levels = sorted(sweep.loc[sweep["mechanism"] != "none", "alpha"].unique())
    strictest, loosest = sweep[sweep["alpha"] == levels[0]], sweep[sweep["alpha"] == levels[-1]]
    panels = ((strictest, "statistic_error"), (strictest, "auc"), (loosest, "auc"))
    for axis, (part, measure) in zip(axes, panels, strict=True):
        _curves(axis, part, "m", measure)
        style.log_axis(axis, (1000, 10_000), ("$10^3$", "$10^4$"))
        name = MEASURES.get(measure, "‖μ̃ − μ‖")
        axis.set(xlabel="records m", ylabel=name, title=f"Census, α = {part['alpha'].iloc[0]:g}")
        if measure in MEASURES:
            axis.set_ylim(0.45, 0.95)
    axes[0].set_yscale("log")
    for name in ("laplace", "gamma"):
        at = strictest.loc[strictest["mechanism"] == name, "predicted_crossover"].mean()
        axes[0].axvline(at, color=METHODS[name].color, linewidth=0.8, linestyle=":")
