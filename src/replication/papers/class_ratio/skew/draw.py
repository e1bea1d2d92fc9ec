"""Error over the skew of the training sets: learning wants skew, privacy wants balance."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from replication.papers.class_ratio.panels import error_panels


def draw(scores: pd.DataFrame) -> Figure:
    """One panel a data set."""
    return error_panels(scores, "mechanism", "rho", "ρ: small is skewed")
