"""What stands in the paper's part of the configuration is checked to the last word before any job starts."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from house import ROOT
from replication.data.fetching.sources import load
from replication.engine.plan import plan
from unveil.errors import UnveilError

FIELDS = {name: list(entry.fields) for name, entry in load(ROOT / "data/sources.yaml").items()}
RUN = yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))
PAPERS = yaml.safe_load((ROOT / "config/class_ratio.yaml").read_text(encoding="utf-8"))
FIGURES = PAPERS["papers"]["class_ratio"]["figures"]


def words(content: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """Where a key or a text stands; the last step of a key's path is the key."""
    if isinstance(content, dict):
        for key, value in content.items():
            yield (*path, key)
            yield from words(value, *path, key)
    elif isinstance(content, list):
        for k, value in enumerate(content):
            if isinstance(value, str):
                yield (*path, k)


def misspelt(path: tuple[str | int, ...]) -> dict[str, Any]:
    """The configuration with one word that nobody knows."""
    papers = copy.deepcopy(PAPERS)
    place: Any = papers["papers"]["class_ratio"]["figures"]
    *parents, last = path
    for step in parents:
        place = place[step]
    if isinstance(last, int):
        place[last] += "x"
    else:
        place[f"{last}x"] = place.pop(last)
    return {**RUN, **papers}


def test_the_configuration_as_it_stands_is_sound() -> None:
    assert set(plan({**RUN, **PAPERS}, FIELDS)) == {("class_ratio", figure) for figure in FIGURES}


@pytest.mark.parametrize("figure", FIGURES)
def test_a_misspelt_word_stops_the_run(figure: str) -> None:
    places = list(words(FIGURES[figure], figure))
    assert len(places) > 5
    for path in places:
        with pytest.raises(UnveilError, match=r"^configuration, papers\.class_ratio\.figures\."):
            plan(misspelt(path), FIELDS)
