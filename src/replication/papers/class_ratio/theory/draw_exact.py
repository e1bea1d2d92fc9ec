"""Tabulate the statements whose two sides are exact: the limit (11), and the floor that a prior sets."""

import pandas as pd

from replication.judging.words import amount

NAMES = {"asymptotic_delta": "δ by (11), labels in the set", "prior_floor": "least ε of a posterior, classes"}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """A row a size: what is stated, and the exact value."""
    own = scores[scores["quantity"].isin(NAMES)].sort_values(["quantity", "n"])
    return pd.DataFrame(
        {
            "quantity": own["quantity"].map(NAMES),
            "size": own["n"].astype(int),
            "stated": own["bound"].map(amount),
            "exact": own["actual"].map(amount),
        }
    )
