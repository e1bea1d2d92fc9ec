"""Draw what the choice of λ is worth, by loss, under Laplace noise of the right scale."""

from itertools import product

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS, RULES, TITLES
from replication.papers.mean_operator.release.draw import alpha_axis, keep_tuned, levels

MECHANISM = "laplace"
#: The rules that are drawn; all are in the table.
SHOWN = ("fixed", "released")


def draw(scores: pd.DataFrame) -> Figure:
    """A loss has its colour and marker, a rule its dash."""
    scores = scores[scores["panel"] == "alpha"]
    datasets = list(scores["dataset"].unique())
    figure, axes = style.panels(1, len(datasets), height=2.9)
    for panel, dataset in zip(axes[0], datasets, strict=True):
        part = scores[scores["dataset"] == dataset]
        own = part[part["mechanism"] == MECHANISM]
        ceiling, floor = levels(panel, keep_tuned(part), part, "accuracy")
        for loss, (rule, look) in product(own["loss"].unique(), [(rule, RULES[rule]) for rule in SHOWN]):
            chosen = own[(own["loss"] == loss) & (own["rule"] == rule)]
            label = f"{METHODS[loss].label}, {look.label}"
            style.curve(panel, chosen, "alpha", "accuracy", METHODS[loss], label=label, linestyle=look.linestyle)
        alpha_axis(panel, own, ceiling, floor)
        panel.set_title(TITLES[dataset])
    style.label(axes, "α", "accuracy")
    style.finish(figure)
    return figure
