"""Figure 2: error over the share of positives in the test set, by method."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.class_ratio.panels import error_panels


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set, all on one scale."""
    return error_panels(scores, "method", "positive_fraction", "positives in the test set", sharey=True)
