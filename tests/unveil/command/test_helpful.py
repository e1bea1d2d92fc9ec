"""What the command offers before and after a release: schemas, help for one protocol, merging, values, loud words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from own_tables import PEOPLE, RENTS, Unveil, people, rents, schema, votes
from unveil.protocols import PROTOCOLS
from unveil.protocols.base import Release

PRODUCTS = "release products rents.csv --epsilon 8 --label rent --id flat --schema schema.json"


def test_a_schema_has_gaps_that_no_release_takes_and_shows_no_value(unveil: Unveil) -> None:
    rents(50).to_csv("rents.csv", index=False)
    done = unveil("schema rents.csv").well()
    gaps = {"columns": {"flat": {"range": [None, None]}}}
    gaps["columns"] |= {name: {"range": [None, None]} for name in ("area", "rent")} | {"city": {"categories": []}}
    assert json.loads(done.out) == gaps
    assert "only names and types were looked at" in done.err
    unveil("schema rents.csv --out schema.json").well()
    said = unveil(f"{PRODUCTS} --out r").err
    assert all(f"{name!r} what is left open" in said for name in ("area", "city", "rent"))
    assert said.count("\n") == 1
    assert "exists" in unveil("schema rents.csv --out schema.json").err


def test_a_public_table_gives_its_own_ranges(unveil: Unveil) -> None:
    frame = rents(50).rename(columns={"area": "Fläche"})
    frame.to_csv("rents.csv", index=False)
    said = unveil("schema rents.csv --public").well().out
    columns = json.loads(said)["columns"]
    assert columns["Fläche"]["range"] == [frame["Fläche"].min(), frame["Fläche"].max()]
    assert columns["city"]["categories"] == ["A", "B"]
    assert "Fläche" in said  # as people write it, who fill in the rest


def test_all_problems_of_a_table_are_one_message(unveil: Unveil) -> None:
    frame = rents(50).astype({"area": object, "rent": object})
    frame.loc[4, "area"], frame.loc[9, "rent"], frame.loc[2, "city"] = "?", "much", None
    frame.to_csv("rents.csv", index=False)
    schema(RENTS)
    said = unveil(f"{PRODUCTS} --out r")
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert "3 problems" in said.err
    assert all(f"column '{name}', row {row}" in said.err for name, row in (("area", 5), ("city", 3), ("rent", 10)))


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_help_for_one_protocol_says_what_that_one_needs(unveil: Unveil, protocol: str) -> None:
    said = unveil(f"release {protocol} --help").well().out
    assert PROTOCOLS[protocol] in " ".join(said.split())
    assert ("--window" in said) == (protocol == "tags")
    assert ("The privacy level" in said) == (protocol != "tags")
    assert "Estimators: " in " ".join(unveil(f"fit {protocol} -h").well().out.split())
    assert "Estimators: " not in unveil("fit --help").well().out  # of none in particular, whatever was asked before


def test_releases_of_two_owners_become_one(unveil: Unveil) -> None:
    frame = rents(2000)
    schema(RENTS)
    for name, part in (("north", frame[:800]), ("south", frame[800:])):
        part.to_csv(f"{name}.csv", index=False)
        line = f"release products {name}.csv --epsilon 8 --label rent --id flat --schema schema.json --out {name}"
        unveil(line).well()
    unveil("merge north south --out both").well()
    assert Release.load("both").records == 2000
    assert "the same content twice" in unveil("merge north north --out again").err
    assert "two releases or more" in unveil("merge north --out alone").err


def test_a_column_that_is_all_out_of_range_is_told_loudly_and_a_lone_record_refused(unveil: Unveil) -> None:
    frame = rents(50).assign(area=lambda found: 1000 * found["area"])
    frame.to_csv("rents.csv", index=False)
    schema(RENTS)
    assert "WARNING: EVERY value of 'area' lies outside" in unveil(f"{PRODUCTS} --out r").well().err
    frame[:1].to_csv("rents.csv", index=False)
    assert "a single row" in unveil(f"{PRODUCTS} --out alone").err
    assert not Path("alone").exists()


def test_inspect_leads_with_what_is_promised(unveil: Unveil) -> None:
    people(200).to_csv("people.csv", index=False)
    schema(PEOPLE)
    line = "release records people.csv --epsilon 1 --label ill --id person --schema schema.json --clear-features"
    unveil(f"{line} --out r").well()
    second = unveil("inspect r").well().out.splitlines()[1]
    assert second.startswith("promises       epsilon 1 of the label alone")


@pytest.mark.slow
def test_inspect_shows_weights_in_the_tables_units_and_shares_by_the_names_of_sets(unveil: Unveil) -> None:
    rents().to_csv("rents.csv", index=False)
    schema(RENTS)
    unveil(f"{PRODUCTS} --simulation --seed 1 --out r").well()
    unveil("fit products r --set solver=ridge --model m").well()
    lines = unveil("inspect m --values").well().out.splitlines()
    shown = {line[2:32].strip(): line[32:].split() for line in lines if line.startswith("  ")}
    slope, (low, high) = float(shown["area"][0]), (float(shown["area"][3]), float(shown["area"][5]))
    assert low < slope < high
    assert abs(slope - 10) < 3  # per square metre, as the rents were made
    found = votes(4, 50)
    found.to_csv("votes.csv", index=False)
    line = "release ratios votes.csv --epsilon 20 --label party --sets district --range x=0:1 --range z=0:1 --out s"
    unveil(line).well()
    truth = (found["party"] == "left").groupby(found["district"]).mean()
    said = unveil("inspect s --values").well().out
    assert f"d02            left {truth['d02']:.3g}, right" in said


@pytest.mark.slow
def test_what_a_model_has_not_seen_is_counted_when_it_predicts(unveil: Unveil) -> None:
    frame = rents(2000)
    frame.to_csv("rents.csv", index=False)
    schema(RENTS)
    unveil(f"{PRODUCTS} --out r").well()
    unveil("fit products r --model m").well()
    frame.head(10).assign(city=np.where(np.arange(10) < 3, "C", "A")).to_csv("new.csv", index=False)
    assert "3 values of 'city' lie outside" in unveil("predict m new.csv --out p.csv").well().err
    assert len(pd.read_csv("p.csv")) == 10
