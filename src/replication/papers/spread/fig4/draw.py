"""Draw figure 4."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.spread.pictures import draw_grid


def draw(scores: pd.DataFrame) -> Figure:
    """A seven and a nine, clean and noisy."""
    return draw_grid(scores, "σ²")
