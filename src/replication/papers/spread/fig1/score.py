"""Figure 1: where the reconstruction objective has its maxima, and where EM ends."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.papers.spread.fig1.reconstruction import critical_flip, em_limit, global_maxima, interior_maxima
from replication.papers.spread.fig1.settings import Score

COLUMNS = ["p_flip", "theta0", "theta", "kind", "critical_p_flip"]


def score(settings: Score) -> pd.DataFrame:
    """Maxima of J_∞ for `points` true θ₀ from 0 to 1; `critical_p_flip`: where interior ones vanish."""
    rows = []
    for theta0 in map(float, np.linspace(0, 1, settings.points).round(12)):
        critical = critical_flip(theta0)
        for p_flip in settings.p_flips:
            found = {
                "global": global_maxima(theta0, p_flip),
                "interior": interior_maxima(theta0, p_flip),
                "em": [em_limit(theta0, p_flip)],
            }
            rows += [(p_flip, theta0, theta, kind, critical) for kind, values in found.items() for theta in values]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(["p_flip", "kind", "theta0", "theta"], ignore_index=True)
