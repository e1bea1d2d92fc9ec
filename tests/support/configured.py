"""The configuration as it is shipped, and what the Snakefile says of one like it before any job starts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import reduce
from operator import getitem
from typing import Any

from tools.configuration import shipped

from project import ROOT
from replication.data.fetching.sources import load
from replication.engine.checking import checked, within
from replication.engine.plan import extending, plan
from replication.judging.guarantees.settings import Guarantees
from unveil.errors import UnveilError

Place = tuple[str | int, ...]

#: The prepared fields of every data set.
FIELDS = {name: list(entry.fields) for name, entry in load(ROOT / "data/sources.yaml").items()}
#: Without what YAML's aliases share: a mistake is made in one place only.
CONFIG: dict[str, Any] = json.loads(json.dumps(shipped(ROOT)))


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """The place of everything that is set."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*place, key)
        yield from places(item, (*place, key))


def at(config: Any, place: Place) -> Any:
    """What stands at a place."""
    return reduce(getitem, place, config)


def alone(paper: str, figure: str) -> dict[str, Any]:
    """A paper's block with one figure and those that it extends."""
    block = CONFIG["papers"][paper]
    return {**block, "figures": {name: block["figures"][name] for name in extending(block["figures"], figure)}}


def refusal(config: dict[str, Any]) -> str:
    """The line that refuses a configuration, or nothing where a run would go on."""
    try:
        plan(config, FIELDS)
        checked(Guarantees, config["guarantees"], within("guarantees"))
    except UnveilError as error:
        said = str(error)
        assert said.strip()
        assert said.isprintable()
        return said
    return ""
