"""Small data sets of the right kinds, and a way through a figure's stages without Snakemake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields as names_of
from functools import cache
from importlib import import_module
from typing import Any, get_args, get_type_hints

import numpy as np
import pandas as pd

from replication.arrays import Named
from replication.data.scaling import unit_rows
from replication.engine.checking import checked
from replication.randomness import Trial
from replication.settings import Nothing
from unveil.types import Array

DATASETS = ("census", "mnist", "breast_cancer")
PRIVATE = ("labels", "sevens_nines_labels")


@cache
def fields() -> dict[str, dict[str, Array]]:
    """Three tasks that a linear separator nearly solves."""
    rng = np.random.default_rng(0)
    census = (rng.random((900, 6)) < 0.4).astype(float)
    digits = rng.normal(size=(530, 50)) * np.geomspace(1, 0.1, 50)
    tumours = rng.normal(size=(300, 4))
    return {
        "census": {
            "unit_features": unit_rows(census),
            "labels": (census @ [2, -1, 1, 0, -2, 1] + rng.normal(0, 0.5, 900) > 0.6).astype(np.uint8),
            "split": (np.arange(900) >= 600).astype(np.uint8),
        },
        "mnist": {
            "sevens_nines_features": unit_rows(digits),
            "sevens_nines_labels": np.where(digits[:, 0] + rng.normal(0, 0.2, 530) > 0, 1, -1).astype(np.int8),
            "sevens_nines_split": (np.arange(530) % 4 == 0).astype(np.uint8),
        },
        "breast_cancer": {
            "unit_features": unit_rows(tumours),
            "labels": (tumours[:, 1] + tumours[:, 0] > 0.2).astype(np.uint8),
        },
    }


def public() -> dict[str, dict[str, Array]]:
    """What the learner sees of them."""
    return {
        dataset: {name: array for name, array in arrays.items() if name not in PRIVATE}
        for dataset, arrays in fields().items()
    }


def settings_of(place: str, stage: str, values: Mapping[str, Any]) -> Any:
    """The record of a stage's settings, checked as the configuration is; other values are for other stages."""
    kind = get_type_hints(import_module(f"replication.papers.{place}.settings").Figure)[stage]
    record = (get_args(kind) or (None, kind))[1]
    return checked(record, {field.name: values[field.name] for field in names_of(record)})


def run(place: str, stage: str, arm: str, number: int, seen: Sequence[Any], values: Mapping[str, Any]) -> Named:
    """One trial of a stage, its arrays as files would give them back."""
    function = getattr(import_module(f"replication.papers.{place}.{stage}"), stage)
    paper, figure = place.split(".")
    trial = Trial(1, paper, figure, stage, arm, number)
    found = function(*seen, trial, settings_of(place, stage, values))
    return {name: np.asarray(value) for name, value in found.items()}


def walk(
    figure: str, arms: Mapping[str, Mapping[str, Any]], trials: int
) -> tuple[dict[str, list[Named]], pd.DataFrame]:
    """Release, learn and score every arm: (what was learnt, scores)."""
    place = f"mean_operator.{figure}"
    learned: dict[str, list[Named]] = {arm: [] for arm in arms}
    for arm, values in arms.items():
        for number in range(trials):
            released = run(place, "release", arm, number, [fields()], values)
            learned[arm].append(run(place, "learn", arm, number, [{arm: released}, public()], values))
    referees = [Trial(1, "mean_operator", figure, "score", "score", number) for number in range(trials)]
    score = import_module(f"replication.papers.{place}.score").score
    return learned, score(learned, fields(), referees, Nothing())
