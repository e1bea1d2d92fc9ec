"""Draw figure 3 from less skewed training sets."""

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.class_ratio.fig3.draw import PAPER, keep_protocol, over_mixtures


def draw(scores: pd.DataFrame) -> Figure:
    """Those data sets that have training sets with the larger share of the rare classes."""
    return over_mixtures(keep_protocol(scores, -1), PAPER)
