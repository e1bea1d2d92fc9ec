"""Table 1 as a table, and as a picture of it."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style

_HEADINGS = {
    "dataset": "Data set",
    "features": "Features",
    "instances": "Instances",
    "classes": "Classes",
    "n_train": "Training set size",
    "n_test": "Test set size",
    "grade": "Grade of the data",
}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows under readable headings."""
    return scores[list(_HEADINGS)].rename(columns=_HEADINGS)


def draw(scores: pd.DataFrame) -> Figure:
    """The same table as a picture."""
    return style.draw_table(table(scores))
