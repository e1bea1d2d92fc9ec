"""Draw the area under the ROC curve in the place of accuracy."""

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.mean_operator.release.draw import by_mechanism


def draw(scores: pd.DataFrame) -> Figure:
    """One column a data set."""
    return by_mechanism(scores, "auc")
