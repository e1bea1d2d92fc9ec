"""Small data sets of the right kinds, and a way through a figure's stages without Snakemake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

from replication.engine import source
from replication.engine.plan import stage_file
from replication.randomness import Trial
from unveil.types import Array

PUBLIC = {"census": ["features", "split"], "mnist": ["images", "split"], "breast_cancer": ["features"]}


@cache
def fields() -> dict[str, dict[str, Array]]:
    """Three tasks that a linear separator nearly solves; the digits of the second are 7, 9 and some other."""
    rng = np.random.default_rng(0)
    census = (rng.random((900, 6)) < 0.4).astype(np.float32)
    digits = rng.choice([3, 7, 9], 800)
    images = rng.integers(0, 60, (800, 81)) + 150 * (digits == 9)[:, None] * (np.arange(81) % 7 == 0)
    tumours = rng.normal(size=(300, 4)) * [1, 10, 100, 0.1]
    return {
        "census": {
            "features": census,
            "labels": (census @ [2, -1, 1, 0, -2, 1] + rng.normal(0, 0.5, 900) > 0.6).astype(np.uint8),
            "split": (np.arange(900) >= 600).astype(np.uint8),
        },
        "mnist": {
            "images": images.astype(np.uint8),
            "labels": digits.astype(np.uint8),
            "split": (np.arange(800) % 4 == 0).astype(np.uint8),
        },
        "breast_cancer": {
            "features": tumours,
            "labels": (tumours[:, 1] + tumours[:, 0] > 2).astype(np.uint8),
        },
    }


def public() -> dict[str, dict[str, Array]]:
    """What the learner sees of them."""
    return {dataset: {name: fields()[dataset][name] for name in names} for dataset, names in PUBLIC.items()}


def walk(
    stages: Mapping[str, ModuleType], figure: str, arms: Mapping[str, Mapping[str, Any]], trials: int
) -> tuple[dict[str, Any], pd.DataFrame]:
    """Release, learn and score every arm: (what was learnt, scores). Each arm's settings go to the stages that ask."""
    learned: dict[str, list[dict[str, Array]]] = {}
    for arm, settings in arms.items():
        for number in range(trials):
            released = _run(stages, "release", figure, arm, number, [fields()], settings)
            learned.setdefault(arm, []).append(
                _run(stages, "learn", figure, arm, number, [{arm: released}, public()], settings)
            )
    referees = [Trial(1, "mean_operator", figure, "score", "score", number) for number in range(trials)]
    return learned, stages["score"].score(learned, fields(), referees)


def _run(
    stages: Mapping[str, ModuleType],
    stage: str,
    figure: str,
    arm: str,
    number: int,
    seen: Sequence[Any],
    settings: Mapping[str, Any],
) -> dict[str, Array]:
    asked = source.settings_schema(stage_file("mean_operator", figure, stage), stage)
    trial = Trial(1, "mean_operator", figure, stage, arm, number)
    found = getattr(stages[stage], stage)(*seen, trial, **{name: settings[name] for name in asked})
    return {name: np.asarray(value) for name, value in found.items()}
