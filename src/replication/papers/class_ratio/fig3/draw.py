"""Figure 3: error of the estimates under privacy, over the mixture of the test set."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.class_ratio.panels import error_panels


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set."""
    return error_panels(scores, "mechanism", "x", "share x in the test set")
