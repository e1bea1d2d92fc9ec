"""The scores of the figures that ask whether a paper's method would still be used today."""

from collections.abc import Iterable, Mapping

import pandas as pd

COLUMNS = ["dataset", "method", "unit", "epsilon", "delta", "n", "trial", "error", "measure"]


def tabulate(rows: Iterable[Mapping[str, object]], **common: object) -> pd.DataFrame:
    """A row a data set, method, level and trial; `common` stands in every row that does not say otherwise."""
    return pd.DataFrame([{"delta": 0.0, **common, **row} for row in rows])[COLUMNS]
