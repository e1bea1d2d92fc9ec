"""Figure 1: losses and their even and odd parts, each computed from the loss alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from replication.randomness import Trial
from unveil.errors import require
from unveil.estimators.statistics.losses import LOSSES, OTHER_LOSSES, Curve
from unveil.types import Arrays

COLUMNS = ["loss", "x", "value", "even", "odd"]


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    losses: Sequence[str],
    reach: float,
    points: int,
) -> pd.DataFrame:
    """(f(x) ± f(−x))/2 on a grid; nothing is taken from the library's own decomposition."""
    x = np.linspace(-reach, reach, points)
    known: dict[str, Curve] = {**LOSSES, **OTHER_LOSSES}
    parts = []
    for name in losses:
        require(name in known, f"losses: {name!r} is none of {', '.join(known)}")
        value, mirrored = known[name](x), known[name](-x)
        part = {"x": x, "value": value, "even": (value + mirrored) / 2, "odd": (value - mirrored) / 2}
        parts.append(pd.DataFrame({"loss": name, **part}))
    return pd.concat(parts, ignore_index=True)[COLUMNS]
