"""Every mistake in a word of the configuration is one line that names the place and the nearest known word."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tools.configuration import shipped

from project import ROOT, sample
from replication.data.fetching.sources import load as load_sources
from replication.engine.checking import checked, within
from replication.engine.plan import extending, plan
from replication.judging.guarantees.settings import Guarantees
from unveil.errors import UnveilError

FIELDS = {name: list(entry.fields) for name, entry in load_sources(ROOT / "data/sources.yaml").items()}
#: Without what YAML's aliases share: a mistake is made in one place only.
CONFIG: dict[str, Any] = json.loads(json.dumps(shipped(ROOT)))
FIGURES = [(paper, name) for paper, block in CONFIG["papers"].items() for name in block["figures"]]

#: Text that stands for no choice: folders may be called anything.
FREE = {("folders", name) for name in ("results", "figures", "logs")}
Place = tuple[str | int, ...]


def keys(value: Any, place: Place = ()) -> Iterator[Place]:
    """The place of every key."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*place, key)
            yield from keys(item, (*place, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from keys(item, (*place, i))


def texts(value: Any, place: Place = ()) -> Iterator[Place]:
    """The place of every text."""
    if isinstance(value, str) and place not in FREE:
        yield place
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from texts(item, (*place, key))


def at(config: Any, place: Place) -> Any:
    for step in place:
        config = config[step]
    return config


def misspelt(word: str) -> str:
    """One letter too many."""
    return word + "x"


def complaint(config: dict[str, Any]) -> str:
    """What the Snakefile would say before any job starts."""
    try:
        plan(config, FIELDS)
        checked(Guarantees, config["guarantees"], within("guarantees"))
    except UnveilError as error:
        return str(error)
    raise AssertionError("the configuration was taken")


def with_renamed_key(config: dict[str, Any], place: Place) -> dict[str, Any]:
    wrong = copy.deepcopy(config)
    parent = at(wrong, place[:-1])
    renamed = {misspelt(str(key)) if key == place[-1] else key: item for key, item in parent.items()}
    parent.clear()
    parent.update(renamed)
    return wrong


def with_misspelt_text(config: dict[str, Any], place: Place) -> dict[str, Any]:
    wrong = copy.deepcopy(config)
    at(wrong, place[:-1])[place[-1]] = misspelt(at(config, place))
    return wrong


def dotted(place: Place) -> str:
    return ".".join(map(str, place))


def assert_named(config: dict[str, Any], places: Iterator[Place], kind: str) -> None:
    """Each mutation is refused in one line, with the place of the mistake and the word that was meant."""
    spoil = {"key": with_renamed_key, "text": with_misspelt_text}[kind]
    count = 0
    for count, place in enumerate(places, start=1):  # noqa: B007 - used below
        said = complaint(spoil(config, place))
        meant = place[-1] if kind == "key" else at(config, place)
        where = place[:-1] if kind == "key" else place
        assert "\n" not in said
        assert f"'{misspelt(str(meant))}'" in said, (place, said)
        assert f"did you mean '{meant}'?" in said or f"known: {meant}" in said, (place, said)
        # A word in a list stands at the list, or at its number in it.
        assert dotted(tuple(step for step in where if isinstance(step, str))) in said.replace(" ", ""), (place, said)
    assert count


@pytest.mark.parametrize(("paper", "figure"), FIGURES)
@pytest.mark.parametrize("kind", ["key", "text"])
def test_every_word_of_a_figure_that_is_wrong_is_named(paper: str, figure: str, kind: str) -> None:
    block = CONFIG["papers"][paper]
    alone = {**block, "figures": {name: block["figures"][name] for name in extending(block["figures"], figure)}}
    config = {**CONFIG, "papers": {paper: alone}}
    everywhere = {"key": keys, "text": texts}[kind](config["papers"], ("papers",))
    # What it extends has its own turn.
    places = (place for place in everywhere if place[2:3] != ("figures",) or place[3:4] in ((), (figure,)))
    if kind == "text" and not any(True for _ in texts(alone)):
        pytest.skip("nothing but numbers")
    assert_named(config, places, kind)


def test_every_word_of_the_run_that_is_wrong_is_named() -> None:
    run = {**CONFIG, "papers": {}, "multiverse": {}}
    assert_named(run, (place for place in keys(run) if len(place) > 1 or place[0] in _REQUIRED), "key")


#: Keys at the top that a configuration may leave out are unknown words when misspelt, too; these must be there.
_REQUIRED = set(CONFIG)


@pytest.mark.parametrize("config", [CONFIG, sample()], ids=["default", "sample"])
def test_the_shipped_configurations_are_planned(config: dict[str, Any]) -> None:
    assert plan(config, FIELDS).keys() == {(paper, figure) for paper, figure in FIGURES}
    assert checked(Guarantees, config["guarantees"])
