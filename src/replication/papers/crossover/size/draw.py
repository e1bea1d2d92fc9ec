"""Draw the errors of all estimators against the number of records."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.crossover.panels import draw_errors


def draw(scores: pd.DataFrame) -> Figure:
    """A row a task, a column a data set."""
    return draw_errors(scores, "n", "records")
