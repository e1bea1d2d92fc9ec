"""Error over the skew of the training sets, by mechanism: learning wants skew, privacy wants balance."""

import pandas as pd
from matplotlib.figure import Figure

from replication.palette import DATASETS
from replication.papers.class_ratio.panels import panel_rows


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set."""
    known = scores.dropna(subset="l1_error")
    return panel_rows({"": known}, "mechanism", "rho", "ρ: small is skewed", 3.0, sharey=False)


def facts(scores: pd.DataFrame) -> dict[str, str]:
    """How many labels the most and the least skewed sets tell by themselves."""
    told = scores.groupby(["dataset", "rho"], sort=False)["attack_accuracy"].mean()
    words = [
        f"{DATASETS[name].label} {own.iloc[0]:.0%} to {own.iloc[-1]:.0%}"
        for name, own in told.sort_index().groupby(level=0)
    ]
    return {"told": ", ".join(words)}
