"""Measures of the claims on privacy: what tables of known content come to."""

from __future__ import annotations

from itertools import product
from typing import Any

import pandas as pd

from replication.papers.class_ratio.claims.published_sets import HIDING, large_sets_hide_better
from replication.papers.class_ratio.claims.under_privacy import Protocol


def test_settings_come_in_the_order_of_the_mechanisms() -> None:
    """Not in that of a set, which Python shuffles anew in every process."""
    scores = pd.DataFrame(
        [
            ("census", "mmd", mechanism, sets, trial, sets * (mechanism != "none") + trial)
            for mechanism, sets, trial in product(("none", *reversed(HIDING)), (2, 8), range(3))
        ],
        columns=["dataset", "method", "mechanism", "sets", "trial", "l1_error"],
    )
    settings = [observation.setting for observation in large_sets_hide_better(scores)]
    assert settings == [f"census, 8 sets, {mechanism}" for mechanism in HIDING]


def test_a_protocol_keeps_its_own_rows() -> None:
    """Of every data set its common class, its ρ if it has that one, and the level; what is not veiled has no level."""
    axes = product(("mnist", "twitter"), (0.0, 0.1), (0, 1, 2), (0.05, 0.1), (0.05, 0.2), ("none", "laplace"))
    names = ["dataset", "x", "dominant", "rho", "epsilon", "mechanism"]
    scores = pd.DataFrame(list(axes), columns=names).assign(delta=0.05, estimator="mmd")
    scores = scores[(scores["dataset"] == "twitter") | (scores["rho"] == 0.05)]  # ten classes have the first only
    scores = scores[(scores["mechanism"] != "none") | (scores["epsilon"] == 0.05)]
    scores = scores.assign(named_last=scores["dominant"] == 1)

    def kept(**given: Any) -> list[tuple[Any, ...]]:
        return sorted(Protocol(**given).rows(scores)[names].itertuples(index=False, name=None))

    both = ("laplace", 0.05), ("none", 0.05)
    base = [(d, 0.1, 2, 0.05, e, m) for d in ("mnist", "twitter") for m, e in both]
    assert kept() == sorted(base)
    assert kept(common="named") == sorted((d, x, 1, r, e, m) for d, x, _, r, e, m in base)
    assert len(kept(common="each")) == 3 * len(base)
    assert kept(rho=0.1) == sorted((d, x, k, 0.1 if d == "twitter" else 0.05, e, m) for d, x, k, _, e, m in base)
    assert kept(epsilon=0.2) == sorted((d, x, k, r, 0.2 if m == "laplace" else e, m) for d, x, k, r, e, m in base)
