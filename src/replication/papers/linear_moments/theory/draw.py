"""Draw how far what the paper proves is from what enumeration finds."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from replication import palette, style
from replication.palette import METHODS

#: Quantities that are claimed to be what is stated, in the order of the paper.
EQUALITIES = {
    "bias": "β is unbiased",
    "beyond_statistics": "proposition 1",
    "loss_coordinate": "theorem 1",
    "loss_per_value": "theorem 2",
    "lemma_1": "lemma 1",
    "same_law": "Σ = ε⁻² I⁻¹ if y′ ~ y",
    "equal_at_zero": "equal variances at θ = 0",
    "leading_term": "ε⁻² term alone, ε → 0",
    "told": "efficient if o tells y",
    "copy": "copy of y: the efficiency",
    "population_estimate": "moments are consistent",
    "kl_excess": "EM for KL is global",
    "euclidean_step": "S†q̂ is the closest point",
    "pseudo_inverse": "S† of deterministic S",
    "one_em_step": "moments are one EM step",
}
#: Mechanisms by the first word of their cases.
SCHEMES = {"classical": METHODS["marginal"], "coordinate": METHODS["coordinate"], "per-value": METHODS["per_value"]}
#: Where differences that double precision cannot tell from none are drawn.
FLOOR = 1e-17


def draw(scores: pd.DataFrame) -> Figure:
    """Differences from what is stated; exact against promised levels; the error of (12) against n."""
    figure, axes = style.panels(1, 3, height=3.4, gridspec_kw={"width_ratios": [1.5, 1, 1]})
    _differences(axes[0, 0], scores)
    _levels(axes[0, 1], scores[scores["quantity"] == "level"])
    _regression(axes[0, 2], scores[scores["quantity"] == "regression"])
    style.finish(figure)
    return figure


def _differences(axes: Axes, scores: pd.DataFrame) -> None:
    gaps = (scores["value"] - scores["stated"]).abs().clip(lower=FLOOR)
    for row, quantity in enumerate(EQUALITIES):
        found = gaps[scores["quantity"] == quantity]
        axes.plot(found, np.full(len(found), row), "o", color=METHODS["moments"].color, alpha=0.5, markersize=3)
    axes.set(xscale="log", xlabel="difference from what is stated", xlim=(FLOOR / 3, 30))
    axes.set_yticks(range(len(EQUALITIES)), list(EQUALITIES.values()))
    axes.set_ylim(len(EQUALITIES) - 0.5, -0.5)


def _levels(axes: Axes, scores: pd.DataFrame) -> None:
    schemes = scores["case"].str.split(",").str[0]
    ends = [scores[["value", "stated"]].min().min() / 1.5, scores["stated"].max() * 1.5]
    axes.plot(ends, ends, color=palette.MUTED, label="as promised")
    for scheme, look in SCHEMES.items():
        part = scores[schemes == scheme]
        label = "classical response" if scheme == "classical" else look.label
        axes.plot(part["stated"], part["value"], markersize=3.5, alpha=0.8, label=label, **look.marks)
    axes.set(xscale="log", yscale="log", xlabel="promised level (nats)", ylabel="exact level (nats)")


def _regression(axes: Axes, scores: pd.DataFrame) -> None:
    table = style.interval(scores.rename(columns={"n": "regions"}), ["regions"], "value")
    style.band(axes, table, "regions", METHODS["moments"], label="")
    first = table.iloc[0]
    axes.plot(
        table["regions"], first["mean"] * np.sqrt(first["regions"] / table["regions"]), ":", color=palette.MUTED,
        label="slope −½",
    )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="regions with counts, n", ylabel="error of ŵ by (12), root mean square")
