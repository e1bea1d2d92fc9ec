"""Table 1 as a table, and as a picture of it."""

import pandas as pd
from matplotlib.figure import Figure

from replication import style

#: Counts under their headings; the paper's stand beside ours where they differ.
_COUNTS = {
    "features": ("Features", "printed_features"),
    "instances": ("Instances", "printed_instances"),
    "classes": ("Classes", "printed_classes"),
    "n_train": ("Training set size", "printed_train"),
    "n_test": ("Test set size", "printed_test"),
}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows under readable headings; what the paper prints in brackets where it is not ours."""
    shown = {"Data set": scores["dataset"]}
    for name, (heading, printed) in _COUNTS.items():
        pairs = zip(scores[name], scores[printed], strict=True)
        shown[heading] = [f"{own:,}" if own == theirs else f"{own:,} ({theirs:,})" for own, theirs in pairs]
    return pd.DataFrame({**shown, "Grade of the data": scores["grade"]})


def draw(scores: pd.DataFrame) -> Figure:
    """The same table as a picture."""
    return style.draw_table(table(scores))
