"""Every mistake in a word of the configuration is one line that names the place and the nearest known word."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from configured import CONFIG, FIELDS, Place, alone, at, places, refusal
from project import sample
from replication.engine.checking import checked
from replication.engine.plan import plan
from replication.judging.guarantees.settings import Guarantees

FIGURES = [(paper, name) for paper, block in CONFIG["papers"].items() for name in block["figures"]]


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


def assert_named(config: dict[str, Any], where: Iterable[Place], spoil: Callable[..., Any]) -> None:
    """Each mutation is refused in one line, with the place of the mistake and the word that was meant."""
    for place in where:
        wrong, shown = spoil(config, place)
        said, meant = refusal(wrong), place[-1] if shown != place else at(config, place)
        assert f"'{meant}x'" in said, (place, said)
        assert f"did you mean '{meant}'?" in said or f"known: {meant}" in said, (place, said)
        # A word in a list stands at the list, or at its number in it.
        dotted = ".".join(step for step in shown if isinstance(step, str))
        assert dotted in said.replace(" ", ""), (place, said)


@pytest.mark.parametrize(("paper", "figure"), FIGURES)
def test_every_word_of_a_figure_that_is_wrong_is_named(paper: str, figure: str) -> None:
    config = {**CONFIG, "papers": {paper: alone(paper, figure)}}
    # What it extends has its own turn.
    own = [
        place
        for place in places(config["papers"], ("papers",))
        if place[2:3] != ("figures",) or place[3:4] in ((), (figure,))
    ]
    keys, texts = [place for place in own if is_key(place)], [place for place in own if is_text(config, place)]
    assert keys
    assert_named(config, keys, with_renamed_key)
    assert_named(config, texts, with_misspelt_text)


def is_key(place: Place) -> bool:
    return isinstance(place[-1], str)


def is_text(config: dict[str, Any], place: Place) -> bool:
    return isinstance(at(config, place), str)


def test_every_word_of_the_run_that_is_wrong_is_named() -> None:
    run = {**CONFIG, "papers": {}, "multiverse": {}}
    assert_named(run, filter(is_key, places(run)), with_renamed_key)


@pytest.mark.parametrize("config", [CONFIG, sample()], ids=["default", "sample"])
def test_the_shipped_configurations_are_planned(config: dict[str, Any]) -> None:
    assert list(plan(config, FIELDS)) == FIGURES
    assert checked(Guarantees, config["guarantees"])
