"""Draw how often an attacker is right about a user's label, and about whose image it is."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style
from replication.palette import METHODS

ATTACKS = ("label_report", "label_image", "label_pair", "identity")
NOISES = {"pixel_flip": ("flipped pixels and label", "flip probability"), "gaussian": ("Gaussian noise", "variance σ²")}


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a kind of noise: the share of users about whom each attack is right, against the noise."""
    noises = [name for name in NOISES if name in set(scores["noise"])]
    figure, axes = style.panels(1, len(noises), height=2.9, sharey=True)
    for panel, noise in zip(axes[0], noises, strict=True):
        part = scores[scores["noise"] == noise]
        for attack in ATTACKS:
            style.curve(panel, part[part["attack"] == attack], "level", "success", METHODS[attack])
        guessing = part[part["attack"] == "label_pair"]["base_rate"].mean()
        style.level(panel, guessing, METHODS["guessing"], above=False)
        title, label = NOISES[noise]
        panel.set(title=title, xlabel=label, xticks=sorted(part["level"].unique()), ylim=(0.42, 1.02))
    axes[0, 0].set_ylabel("users about whom\nthe attacker is right")
    style.finish(figure, columns=2)
    return figure


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """Every attack's success in percent, and of how many users it says that it is sure, and is then right."""
    by = ["noise", "level", "attack"]
    columns = {"success": "right %", "base_rate": "guessing %", "sure": "sure of %", "right_when_sure": "then right %"}
    means = 100 * scores.groupby(by, sort=False)[list(columns)].mean()
    return means.rename(columns=columns).reset_index()
