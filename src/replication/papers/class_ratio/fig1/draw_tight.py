"""Draw figure 1's distortion from many more draws, with the mechanisms that it lacks."""

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.class_ratio.fig1.draw import over_settings

#: The paper's two best, and ours.
SHOWN = (
    "laplace",
    "scaled_dirichlet",
    "scaled_dirichlet_tight",
    "scaled_dirichlet_public",
    "gaussian_analytic",
    "subsample",
)


def draw(scores: pd.DataFrame) -> Figure:
    """The same panels; a textbook Gaussian and the Laplace prior are left to the main picture."""
    return over_settings(scores[scores["draws"] != 1], SHOWN)
