"""Table 1 as a table."""

import pandas as pd

#: Counts under their headings; the paper's stand beside ours where they differ.
_COUNTS = {
    "features": ("Features", "printed_features"),
    "instances": ("Instances", "printed_instances"),
    "classes": ("Classes", "printed_classes"),
    "n_train": ("Training set", "printed_train"),
    "n_test": ("Test set", "printed_test"),
}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """The rows under readable headings; what the paper prints in brackets where it is not ours."""
    shown = {"Data set": scores["dataset"]}
    for name, (heading, printed) in _COUNTS.items():
        pairs = zip(scores[name], scores[printed], strict=True)
        shown[heading] = [f"{own:,}" if own == theirs else f"{own:,} ({theirs:,})" for own, theirs in pairs]
    return pd.DataFrame({**shown, "Data": scores["grade"]})
