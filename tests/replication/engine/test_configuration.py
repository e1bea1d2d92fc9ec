"""Every mistake in a word of the configuration is one line that names the place and the nearest known word."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from configured import CONFIG, FIELDS, alone, refusal
from project import sample
from replication.engine.checking import checked
from replication.engine.plan import plan
from replication.judging.guarantees.settings import Guarantees

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


def with_renamed_key(config: dict[str, Any], place: Place) -> tuple[dict[str, Any], Place]:
    """One letter too many in a key; where that is."""
    wrong = copy.deepcopy(config)
    parent = at(wrong, place[:-1])
    renamed = {f"{key}x" if key == place[-1] else key: item for key, item in parent.items()}
    parent.clear()
    parent.update(renamed)
    return wrong, place[:-1]


def with_misspelt_text(config: dict[str, Any], place: Place) -> tuple[dict[str, Any], Place]:
    """The same in a text."""
    wrong = copy.deepcopy(config)
    at(wrong, place[:-1])[place[-1]] += "x"
    return wrong, place


def assert_named(config: dict[str, Any], places: Iterator[Place], spoil: Callable[..., Any]) -> None:
    """Each mutation is refused in one line, with the place of the mistake and the word that was meant."""
    count = 0
    for count, place in enumerate(places, start=1):  # noqa: B007 - used below
        wrong, where = spoil(config, place)
        said, meant = refusal(wrong), place[-1] if where != place else at(config, place)
        assert f"'{meant}x'" in said, (place, said)
        assert f"did you mean '{meant}'?" in said or f"known: {meant}" in said, (place, said)
        # A word in a list stands at the list, or at its number in it.
        dotted = ".".join(step for step in where if isinstance(step, str))
        assert dotted in said.replace(" ", ""), (place, said)
    assert count


@pytest.mark.parametrize(("paper", "figure"), FIGURES)
@pytest.mark.parametrize(
    ("find", "spoil"), [(keys, with_renamed_key), (texts, with_misspelt_text)], ids=["key", "text"]
)
def test_every_word_of_a_figure_that_is_wrong_is_named(
    paper: str, figure: str, find: Callable[..., Iterator[Place]], spoil: Callable[..., Any]
) -> None:
    config = {**CONFIG, "papers": {paper: alone(paper, figure)}}
    everywhere = find(config["papers"], ("papers",))
    # What it extends has its own turn.
    places = [place for place in everywhere if place[2:3] != ("figures",) or place[3:4] in ((), (figure,))]
    if find is texts and not places:
        pytest.skip("nothing but numbers")
    assert_named(config, iter(places), spoil)


def test_every_word_of_the_run_that_is_wrong_is_named() -> None:
    run = {**CONFIG, "papers": {}, "multiverse": {}}
    assert_named(run, keys(run), with_renamed_key)


@pytest.mark.parametrize("config", [CONFIG, sample()], ids=["default", "sample"])
def test_the_shipped_configurations_are_planned(config: dict[str, Any]) -> None:
    assert list(plan(config, FIELDS)) == FIGURES
    assert checked(Guarantees, config["guarantees"])
