"""Appendix A.4: the trace of H of coordinate release and of per-value φ-RR, in four forms, and where they cross."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from unveil.randomness import Trial
from unveil.theory.release_traces import FORMS, Population, coordinate_trace, crossover, per_value_trace
from unveil.types import Arrays

COLUMNS = ["d", "delta_bar", "mean_norm", "alpha", "scheme", "form", "trace", "size"]


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    dimensions: Sequence[int],
    densities: Sequence[float],
    fills: Sequence[float],
    sizes: Sequence[float],
    alphas: Sequence[float],
) -> pd.DataFrame:
    """Every form on the whole grid.

    A record has up to δ̄ = density·d statistics that are not zero, a share `fill` of them on average, each equal to
    `size`: binary statistics have size 1. The rows of scheme "crossover" give, for binary statistics, the δ̄ at which
    both schemes cost the same, if there is one.
    """
    rows: list[list[object]] = []
    for d, density, fill, size, alpha in product(dimensions, densities, fills, sizes, alphas):
        delta_bar = max(1.0, density * d)
        norm = fill * delta_bar * size
        population = Population(d, norm, norm * size)
        for scheme, trace in (("coordinate", coordinate_trace), ("per_value", per_value_trace)):
            rows += [
                [d, delta_bar, norm, alpha, scheme, form, trace(population, alpha, delta_bar, form), size]
                for form in FORMS
            ]
    for d, fill, alpha in product(dimensions, fills, alphas):
        at = crossover(d, alpha, fill)
        if np.isinf(at):
            continue
        meeting = coordinate_trace(Population(d, fill * at, fill * at), alpha, at)
        rows.append([d, at, fill * at, alpha, "crossover", "exact", meeting, 1.0])
    return pd.DataFrame(rows, columns=COLUMNS).astype({"d": np.int64})
