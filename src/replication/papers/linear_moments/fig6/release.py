"""Figure 6, the owner: products of features and target, released by one of the two structured mechanisms."""

from __future__ import annotations

from typing import Any

import numpy as np

from replication.arrays import Fields, Key, Released
from replication.papers.linear_moments.fig6.design import CENTRED, SOURCES, SWAPPED, rows_used, variants, veil
from replication.papers.linear_moments.fig6.settings import Release
from replication.randomness import Trial


def release(fields: Fields, trial: Trial, settings: Release) -> Released:
    """Every data set at every level, as it is and centred, and growing shares of its records at one level.

    At the level ∞ no bit is flipped: that stands apart.
    """
    released: dict[Key, Any] = {}
    exact: dict[Key, Any] = {}
    for dataset, protocol in settings.protocols.items():
        if SOURCES.get(dataset, dataset) not in fields:
            continue
        for variant, design in variants(fields, dataset, protocol, trial.public):
            n, d = design.train.shape
            order = trial.rng_of(dataset, variant, "order").permutation(n)
            everyone: Any = slice(None)
            drawn = [("levels", i, level, everyone, level) for i, level in enumerate(protocol.levels)]
            shares = () if dataset in SWAPPED else settings.shares
            heads = [(order[: rows_used(n, share)], share) for share in shares]
            drawn += [("growth", i, protocol.growth_level, *head) for i, head in enumerate(heads)]
            for panel, i, level, rows, x in drawn:
                data = design.train[rows], design.train_target[rows]
                place = exact if np.isinf(level) else released
                rng = trial.rng_of(dataset, variant, panel, x)
                published = veil(protocol, d, level).publish(data, rng, signed=CENTRED[variant])
                place[dataset, variant, panel, i] = published
    return Released(released, exact)
