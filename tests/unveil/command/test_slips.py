"""Slips of people who know the command already: one line, and nothing spent, drawn or overwritten."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from own_tables import PEOPLE, Unveil, people, schema, votes

RELEASE = "release mean-operator people.csv --epsilon 2 --label ill --id person --schema schema.json --out new"
SETS = "release ratios votes.csv --epsilon 2 --label party --sets district --range x=0:1 --range z=0:1"
FIT = "fit mean-operator r public.csv --model new"


@pytest.fixture
def folder(unveil: Unveil) -> Unveil:
    """Releases of a table of people and of one of votes, and a model."""
    frame = people(60)
    frame.to_csv("people.csv", index=False)
    frame.drop(columns="ill").to_csv("public.csv", index=False)
    frame.assign(prediction=1, **{"probability of yes": 1}).to_csv("again.csv", index=False)
    frame.head(20).to_csv("few.csv", index=False)
    schema(PEOPLE)
    found = votes(3, 20)
    found.to_csv("votes.csv", index=False)
    found.drop(columns="party").iloc[1:].to_csv("fewer.csv", index=False)
    for line in (RELEASE.replace("--out new", "--out r"), FIT.replace("new", "m"), f"{SETS} --out s"):
        unveil(line).well()
    return unveil


def listed(columns: dict[str, object]) -> Callable[[], object]:
    return lambda: Path("schema.json").write_text(json.dumps({"columns": columns}))


def nothing() -> None:
    """All is in place."""


SLIPS: dict[str, tuple[Callable[[], object], str, str]] = {
    "ledger in the place of the release": (nothing, f"{RELEASE} --ledger new", "--ledger must be a file of its own"),
    "ledger in the place of the data": (
        nothing,
        f"{RELEASE} --ledger people.csv",
        "--ledger must be a file of its own, not people.csv",
    ),
    "ledger in no folder": (nothing, f"{RELEASE} --ledger nowhere/spent", "nowhere/spent"),
    "ledger that is none": (nothing, f"{RELEASE} --ledger public.csv", "the ledger was altered or cut off"),
    "negative limit": (nothing, f"{RELEASE} --ledger spent --limit -1", "limit"),
    "limit that is none": (nothing, f"{RELEASE} --ledger spent --limit nan", "limit"),
    "range without a name": (nothing, f"{RELEASE} --range =0:1", "--range must be COLUMN=LOW:HIGH, not '=0:1'"),
    "range without an end": (nothing, f"{RELEASE} --range age=0-1", "--range must be COLUMN=LOW:HIGH with LOW below"),
    "category twice": (
        listed({"town": {"categories": ["in", "in"]}}),
        RELEASE,
        "must give 'town' a range [low, high] or a list of different categories",
    ),
    "model as a release": (
        nothing,
        FIT.replace(" r ", " m "),
        "m is no release file of the format 'unveil release 1', but says that it is 'unveil model 1'",
    ),
    "release as a model": (nothing, "predict r public.csv --out new.csv", "but says that it is 'unveil release 1'"),
    "some of the rows": (
        nothing,
        FIT.replace("public", "few"),
        "few.csv must have the 60 rows of the release, in the same order, not 20",
    ),
    "some of the rows of a set": (
        nothing,
        "fit ratios s fewer.csv --model new",
        "fewer.csv must hold the rows of the release: the set",
    ),
    "id called as a prediction": (
        nothing,
        "predict m again.csv --id prediction --out new.csv",
        "--id prediction: a column of the predictions has this name; rename it",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_one_line_and_costs_nothing(folder: Unveil, slip: str) -> None:
    prepare, line, message = SLIPS[slip]
    prepare()
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    done = folder(line)
    assert (done.code, done.err.count("\n")) == (1, 1), done
    assert message in done.err
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_the_owner_hears_that_one_set_teaches_nobody(folder: Unveil) -> None:
    pd.read_csv("votes.csv").assign(district="d").to_csv("votes.csv", index=False)
    assert "1 set cannot tell 2 classes apart" in folder(f"{SETS} --out one").err
