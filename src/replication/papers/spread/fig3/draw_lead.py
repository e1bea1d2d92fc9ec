"""Tabulate by how much a learned prior leads its rivals, run by run."""

import pandas as pd

from replication import style
from replication.palette import METHODS
from replication.papers.spread.fig3.draw import RIVALS


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """A row a rival, a column a flip probability: the mean paired difference in points, with its interval."""
    ends = scores[scores["protocol"] == "converged"]
    wide = ends.pivot_table(index=["p_flip", "trial"], columns="method", values="accuracy")
    rows = []
    for rival in RIVALS:
        lead = (100 * (wide["spread_learned"] - wide[rival])).rename("lead").reset_index()
        found = style.interval(lead, ["p_flip"], "lead")
        rows.append(
            {"lead in points over": METHODS[rival].label}
            | {f"p = {row.p_flip:g}": _signed(row.mean, row.high) for row in found.itertuples()}
        )
    return pd.DataFrame(rows)


def _signed(mean: float, high: float) -> str:
    return f"{mean:+.1f} ± {high - mean:.1f}".replace("-", "−")
