"""Figure 3: error of the estimates from veiled proportions, over the mixture of the test set."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import DATASETS, METHODS

PAPER = ("none", "laplace", "laplace_prior", "scaled_dirichlet")


def draw(scores: pd.DataFrame) -> Figure:
    """The paper's mechanisms at the smaller share of the rare classes."""
    return over_mixtures(keep_protocol(scores, 0), PAPER)


def keep_protocol(scores: pd.DataFrame, rho: int) -> pd.DataFrame:
    """The protocol of every common class, for the paper's: the most frequent one."""
    own = keep_classes(scores, rho)
    return own[own["dominant"] == own.groupby("dataset")["dominant"].transform("max")]


def keep_classes(scores: pd.DataFrame, rho: int) -> pd.DataFrame:
    """The paper's estimator, demand and mixtures, at one of the shares of a training set by its place."""
    demand = scores.loc[scores["mechanism"] == "none", ["epsilon", "delta"]].iloc[0]
    own = scores[(scores[demand.index] == demand).all(axis=1) & (scores["estimator"] == "mmd") & (scores["x"] > 0)]
    return own[own["rho"] == sorted(own["rho"].unique())[rho]]


def over_mixtures(scores: pd.DataFrame, mechanisms: Sequence[str]) -> Figure:
    """One panel a data set; where there is no σ, what falls back is drawn in the scaled Dirichlet's place."""
    datasets = list(dict.fromkeys(scores["dataset"]))
    figure, axes = style.panels(1, len(datasets), height=3.0)
    means = scores.groupby(["dataset", "mechanism", "x", "trial"], as_index=False)["l1_error"].mean()
    for panel, dataset in zip(axes[0], datasets, strict=True):
        own = means[means["dataset"] == dataset].dropna()
        void = "scaled_dirichlet" in mechanisms and "scaled_dirichlet" not in set(own["mechanism"])
        for name in mechanisms:
            shown = "fallback" if void and name == "scaled_dirichlet" else name
            style.curve(panel, own[own["mechanism"] == shown], "x", "l1_error", METHODS[name])
        if void:
            panel.text(0.04, 0.04, "no σ: the prior instead", transform=panel.transAxes, fontsize=style.SMALL,
                       color=METHODS["scaled_dirichlet"].color)  # fmt: skip
        panel.set(title=DATASETS[dataset].label, xlabel="share x", ylim=(0, None))
        panel.set_xticks(sorted(own["x"].unique())[::2], [f"{x:.2g}" for x in sorted(own["x"].unique())[::2]])
    axes[0, 0].set_ylabel("L1 error")
    style.label_ends(axes[0, -1], width=14)
    style.finish(figure)
    return figure
