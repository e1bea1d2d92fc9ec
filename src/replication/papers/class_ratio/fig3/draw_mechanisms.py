"""Draw figure 3 with the mechanisms that the paper lacks."""

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.class_ratio.fig3.draw import keep_protocol, over_mixtures

#: The best known of the paper's, and ours.
SHOWN = ("none", "laplace", "scaled_dirichlet_tight", "scaled_dirichlet_public", "gaussian_analytic")


def draw(scores: pd.DataFrame) -> Figure:
    """The same panels."""
    return over_mixtures(keep_protocol(scores, 0), SHOWN)
