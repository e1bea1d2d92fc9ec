"""Appendix A.4: the trace of H of coordinate release and of per-value φ-RR, in four forms, and where they cross."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from replication.papers.linear_moments.figA4.settings import Score
from replication.papers.linear_moments.figA4.traces import (
    FORMS,
    Population,
    coordinate_trace,
    crossover,
    nominal_level,
    per_value_trace,
)

COLUMNS = ["d", "delta_bar", "mean_norm", "alpha", "scheme", "form", "trace", "size", "crossover", "crossover_actual"]


def score(settings: Score) -> pd.DataFrame:
    """Every form on the whole grid.

    A record has up to δ̄ = density·d statistics that are not zero, a share `fill` of them on average, each equal to
    `size`: binary statistics have size 1. `crossover` is the δ̄ at which, for binary statistics, both schemes cost
    the same; infinite where per-value release is always cheaper. Form `actual` and `crossover_actual` are exact
    and compare the schemes at equal exact privacy: there `alpha` is the level that holds, not the nominal one.
    """
    rows: list[list[object]] = []
    ds, fills, alphas = settings.dimensions, settings.fills, settings.alphas
    meeting = {
        (d, fill, alpha): [crossover(d, alpha, fill, actual) for actual in (False, True)]
        for d, fill, alpha in product(ds, fills, alphas)
    }
    for d, density, fill, size, alpha in product(ds, settings.densities, fills, settings.sizes, alphas):
        delta_bar = max(1.0, density * d)
        norm, at = fill * delta_bar * size, meeting[d, fill, alpha]
        population = Population(d, norm, norm * size)
        for scheme, trace in (("coordinate", coordinate_trace), ("per_value", per_value_trace)):
            found = {form: trace(population, alpha, delta_bar, form) for form in FORMS}
            found["actual"] = trace(population, nominal_level(scheme, alpha, d, delta_bar), delta_bar)
            rows += [[d, delta_bar, norm, alpha, scheme, form, value, size, *at] for form, value in found.items()]
    return pd.DataFrame(rows, columns=COLUMNS).astype({"d": np.int64})
