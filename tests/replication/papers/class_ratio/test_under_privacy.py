"""Measures of the claims on privacy: what tables of known content come to."""

from __future__ import annotations

from itertools import product

import pandas as pd

from replication.papers.class_ratio.claims.published_sets import large_sets_hide_better


def test_settings_come_in_the_order_of_the_mechanisms() -> None:
    """Not in that of a set, which Python shuffles anew in every process."""
    known = ("scaled_dirichlet_tight", "gaussian", "laplace", "scaled_dirichlet", "laplace_prior")
    scores = pd.DataFrame(
        [
            ("census", "mmd", mechanism, sets, trial, sets * (mechanism != "none") + trial)
            for mechanism, sets, trial in product(("none", *known), (2, 8), range(3))
        ],
        columns=["dataset", "method", "mechanism", "sets", "trial", "l1_error"],
    )
    found = large_sets_hide_better(scores, mechanisms=known)
    assert [observation.setting for observation in found] == [f"census, 8 sets, {mechanism}" for mechanism in known]
