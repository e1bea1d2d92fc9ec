"""Section 3's thesis: what local mechanisms cost on a chain as it grows, at equal exact privacy."""

from __future__ import annotations

from itertools import product

import pandas as pd

from replication.papers.linear_moments.structured.chain import VARIANCES, Chain, mean_variance, truthful_share
from replication.papers.linear_moments.structured.settings import Score

COLUMNS = ["length", "labels", "mechanism", "epsilon", "quantity", "value"]


def score(settings: Score) -> pd.DataFrame:
    """Exact values by closed forms.

    Quantities: `variance` of one record's estimate, averaged over the statistics; the `records` that an average
    standard error takes; whether that is `possible`, 1 or 0, with as many as there are people; `truthful`, the chance
    of a truthful answer that the level allows classical response.
    """
    rows: list[list[object]] = []
    for length, labels, epsilon, mechanism in product(settings.lengths, settings.labels, settings.epsilons, VARIANCES):
        variance = mean_variance(Chain(length, labels, settings.stay), mechanism, epsilon)
        records = variance / settings.standard_error**2
        found = {"variance": variance, "records": records, "possible": float(records <= settings.people)}
        if mechanism == "classical":
            found["truthful"] = truthful_share(Chain(length, labels, settings.stay), epsilon)
        rows += [[length, labels, mechanism, epsilon, quantity, value] for quantity, value in found.items()]
    return pd.DataFrame(rows, columns=COLUMNS)
