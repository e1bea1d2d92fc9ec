"""Figure 1: losses and their even and odd parts, each computed from the loss alone."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.papers.mean_operator.fig1.settings import Score
from unveil.estimators.statistics.losses import LOSSES, OTHER_LOSSES, Curve

COLUMNS = ["loss", "x", "value", "even", "odd"]


def score(settings: Score) -> pd.DataFrame:
    """(f(x) ± f(−x))/2 on a grid; nothing is taken from the library's own decomposition."""
    x = np.linspace(-settings.reach, settings.reach, settings.points)
    known: dict[str, Curve] = {**LOSSES, **OTHER_LOSSES}
    parts = []
    for name in settings.losses:
        value, mirrored = known[name](x), known[name](-x)
        part = {"x": x, "value": value, "even": (value + mirrored) / 2, "odd": (value - mirrored) / 2}
        parts.append(pd.DataFrame({"loss": name, **part}))
    return pd.concat(parts, ignore_index=True)[COLUMNS]
