"""Draw figure 3 with the baselines that it lacks."""

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.spread.fig3.draw import STRONG, alone


def draw(scores: pd.DataFrame) -> Figure:
    """Beside them the paper's estimator with a learned prior."""
    return alone(scores, ["spread_learned", *STRONG])
