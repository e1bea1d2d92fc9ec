"""A figure's stages without Snakemake: one trial of a stage, the referee alone, the picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields as names_of
from functools import cache
from importlib import import_module
from inspect import signature
from types import MappingProxyType
from typing import Any, get_args

import numpy as np
import pandas as pd
import yaml
from matplotlib.figure import Figure

from configured import CONFIG, FIELDS
from looks import complaints
from project import ROOT
from replication import style
from replication.arrays import Named
from replication.engine.checking import checked
from replication.engine.plan import Figure as Planned
from replication.engine.plan import plan, stage_kinds
from replication.randomness import Trial

#: The first columns of every figure's scores, on which users rely.
PROMISED = yaml.safe_load((ROOT / "tests/workflow/columns.yaml").read_text(encoding="utf-8"))


@cache
def planned() -> Mapping[tuple[str, str], Planned]:
    """The plan of the configuration as it is shipped."""
    return plan(CONFIG, FIELDS)


def module(place: str, name: str) -> Any:
    """A module of the figure at `paper.figure`, its own or that of a figure that it extends."""
    paper, figure = place.split(".")
    return import_module(planned()[paper, figure].module(name))


def settings_of(place: str, stage: str, values: Mapping[str, Any]) -> Any:
    """The record of a stage's settings, checked as the configuration is; other values are for other stages."""
    kind = stage_kinds(module(place, "settings"))[stage]
    record = (get_args(kind) or (None, kind))[1]
    return checked(record, {field.name: values[field.name] for field in names_of(record) if field.name in values})


def run(place: str, stage: str, arm: str, number: int, seen: Sequence[Any], values: Mapping[str, Any]) -> Named:
    """One trial of a stage, its arrays as files would give them back."""
    paper, figure = place.split(".")
    trial = Trial(1, paper, figure, stage, arm, number)
    found = getattr(module(place, stage), stage)(*seen, trial, settings_of(place, stage, values))
    arrays = {name: np.asarray(value) for name, value in found.items()}
    assert all(array.dtype.kind != "O" for array in arrays.values())
    return arrays


def scored(
    place: str,
    count: int,
    values: Mapping[str, Any],
    learned: Any = MappingProxyType({}),
    fields: Any = MappingProxyType({}),
) -> pd.DataFrame:
    """The scores of `count` trials, which start with the promised columns; without a learner where none is needed."""
    paper, figure = place.split(".")
    trials = [Trial(1, paper, figure, "score", "score", number) for number in range(count)]
    settings = settings_of(place, "score", values)
    given: dict[str, Any] = {"learned": learned, "fields": fields, "trials": trials, "settings": settings}
    stage = module(place, "score").score
    scores = stage(**{name: given[name] for name in signature(stage).parameters})
    assert isinstance(scores, pd.DataFrame)
    promised = PROMISED[paper][figure].split(",")
    assert list(scores.columns)[: len(promised)] == promised
    return scores


def drawn(place: str, scores: pd.DataFrame, drawer: str = "draw") -> Figure:
    """The picture of a figure's scores, or a neighbour's, laid out, as any picture must look."""
    with style.applied():
        figure = style.picture_of(module(place, drawer), scores)
        found = complaints(place.replace(".", "/"), figure)
        assert not found, found
    return figure
