"""Tabulate who wins at which ε and n, where a winner is shown."""

import pandas as pd

from replication.palette import METHODS, TITLES

QUESTIONS = {"best": "best of four classifiers", "veil": "model the flips, or ignore them"}


def table(scores: pd.DataFrame) -> pd.DataFrame:
    """A row a cell with a winner, its lead in points with the interval; last, how many cells have none."""
    won = scores["winner"].notna() & (scores["winner"] != "")
    rows = [
        {
            "question": QUESTIONS[row.question],
            "data": TITLES[row.dataset],
            "ε": f"{row.epsilon:g}",
            "records": f"{row.n:,}",
            "winner": METHODS[row.winner].label,
            "lead in points": f"{100 * row.margin:.1f} ({100 * row.low:.1f} to {100 * row.high:.1f})",
        }
        for row in scores[won].itertuples()
    ]
    rest = {"question": "all other cells", "winner": f"none shown in {(~won).sum()} of {len(scores)}"}
    return pd.DataFrame([*rows, rest]).fillna("")
