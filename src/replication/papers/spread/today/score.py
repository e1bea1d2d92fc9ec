"""The referee: the share of clean held-out records that are put into the wrong class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from replication.arrays import Fields, Learned
from replication.common.today.rows import tabulate
from replication.papers.spread.digits import scale_pixels
from replication.papers.spread.today.records import PROJECTIONS, draw_records, project
from replication.papers.spread.today.settings import Release
from replication.papers.spread.today.veils import paper_epsilons
from replication.randomness import Trial
from unveil.types import Array


def score(learned: Learned, fields: Fields, trials: Sequence[Trial], settings: Release) -> pd.DataFrame:
    """A row a data set, release and learner; where there are other directions, a method's name says random ones."""
    rows = [row for trial in trials for row in _judge(learned, fields, trial, settings)]
    return tabulate(rows, unit="record", measure="share of wrong classes", n=2 * settings.train)


def _judge(learned: Learned, fields: Fields, trial: Trial, settings: Release) -> Iterator[dict[str, object]]:
    found = learned["records"][trial.number]
    for dataset in fields:
        parts = draw_records(fields, dataset, trial, settings)
        several = len(PROJECTIONS[dataset]) > 1
        tests = {name: project(parts.test, fields, dataset, name, trial, settings) for name in PROJECTIONS[dataset]}
        pixels = parts.test[0].size if dataset == "mnist" else None
        theirs = scale_pixels(parts.test) if pixels else tests["random"]
        paper = paper_epsilons(settings, pixels)
        for key, weights in found.items():
            if key[0] != dataset:
                continue
            about: dict[str, object] = {"dataset": dataset, "trial": trial.number}
            if key[1] == "paper":
                own = {"method": "spread_paper", "epsilon": paper[int(key[2])], "delta": settings.delta}
                yield {**about, **own, "error": share_wrong(theirs, weights, parts.test_labels)}
                continue
            projection, veil, level, learner = map(str, key[1:])
            prefix = "random_" if several and projection == "random" else ""
            yield {
                **about,
                "method": f"{prefix}{veil}_{learner}",
                "epsilon": settings.epsilons[int(level)],
                "delta": settings.delta if veil == "gaussian" else 0.0,
                "error": share_wrong(tests[str(projection)], weights, parts.test_labels),
            }


def share_wrong(inputs: Array, weights: Array, labels: Array) -> float:
    """Of clean inputs."""
    return float(np.mean((inputs @ weights[:-1] + weights[-1] > 0) != (labels == 1)))
