"""Mistakes of newcomers, and slips of people who know the command: one line that says what to do, and nothing spent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng

from own_tables import PEOPLE, Unveil, people, schema, votes
from unveil.ledger import Ledger

RELEASE = "release products data.csv --epsilon 4 --label rent --schema flats.json --ledger spent --out new.unveil"
LABELS = "release mean-operator labels.csv --epsilon 4 --label ill --ledger spent --out new.unveil"
FIT = "fit mean-operator labels.unveil public.csv --model new.model"
PEOPLE_RELEASE = "release mean-operator people.csv --epsilon 2 --label ill --id person --schema schema.json --out new"
PEOPLE_FIT = "fit mean-operator r people_public.csv --model new"
SETS = "release ratios votes.csv --epsilon 2 --label party --sets district --range x=0:1 --range z=0:1"
FLATS = {"area": {"range": [0, 100]}, "rooms": {"range": [1, 8]}, "rent": {"range": [0, 1000]}}


@pytest.fixture
def folder(unveil: Unveil) -> Unveil:
    """Tables of flats, of people and of votes, releases of them, a model, and a ledger that has seen one release."""
    rng = default_rng(0)
    frame = pd.DataFrame({"area": rng.uniform(0, 100, 50).round(1), "rooms": rng.integers(1, 9, 50)})
    frame["rent"] = (5 * frame["area"] + 50 * frame["rooms"]).round(1)
    frame.to_csv("data.csv", index=False)
    shares = frame.assign(ill=np.where(frame["rent"] > 450, "yes", "no"), area=frame["area"] / 100)
    shares.assign(rooms=frame["rooms"] / 8).drop(columns="rent").to_csv("labels.csv", index=False)
    schema(FLATS, "flats.json")
    patients = people(60)
    patients.to_csv("people.csv", index=False)
    patients.drop(columns="ill").to_csv("people_public.csv", index=False)
    patients.assign(prediction=1, **{"probability of yes": 1}).to_csv("again.csv", index=False)
    patients.head(20).to_csv("few.csv", index=False)
    schema(PEOPLE)
    found = votes(3, 20)
    found.to_csv("votes.csv", index=False)
    found.drop(columns="party").iloc[1:].to_csv("fewer.csv", index=False)
    Ledger("spent").spend("data.csv", 1.0)
    line = "release mean-operator labels.csv --epsilon 4 --label ill --out labels.unveil"
    lines = PEOPLE_RELEASE.replace("--out new", "--out r"), PEOPLE_FIT.replace("new", "m"), f"{SETS} --out s"
    for words in (line, *lines):
        unveil(words).well()
    return unveil


def nothing() -> None:
    """All is in place."""


def changed(name: str, change: Callable[[pd.DataFrame], object], to: str | None = None) -> None:
    """Write a table that was changed in some way."""
    frame = pd.read_csv(name)
    found = change(frame)
    (found if isinstance(found, pd.DataFrame) else frame).to_csv(to or name, index=False)


def set_cell(value: object) -> Callable[[pd.DataFrame], object]:
    return lambda frame: frame.astype(object).where(~((frame.index == 6)[:, None] & (frame.columns == "area")), value)


def index_column() -> None:
    pd.read_csv("data.csv").to_csv("data.csv")


def without_labels() -> None:
    changed("labels.csv", lambda frame: frame.drop(columns="ill"), "public.csv")


def one_class() -> None:
    changed("labels.csv", lambda frame: frame.assign(ill="yes"))


MISTAKES: dict[str, tuple[Callable[[], object], str, str]] = {
    "wrong column": (nothing, RELEASE.replace("--label rent", "--label rnt"), "no column 'rnt': did you mean 'rent'"),
    "European decimals": (
        lambda: changed("data.csv", set_cell("5,5")),
        RELEASE,
        "column 'area', row 7 holds '5,5': write decimals with a point",
    ),
    "index column": (index_column, RELEASE, "column '' numbers the rows: save the table without its index"),
    "unscaled features": (
        lambda: changed("labels.csv", lambda frame: frame.assign(area=100 * frame["area"])),
        LABELS,
        "features must be scaled to [0, 1] by a public range; give --range area=LOW:HIGH",
    ),
    "no public range": (
        nothing,
        RELEASE.replace("--schema flats.json", "--range rent=0:1000"),
        "--range area=LOW:HIGH",
    ),
    "missing class": (one_class, LABELS, "holds the label 'yes' only: list all classes in a schema file"),
    "other row order": (
        lambda: changed("labels.csv", lambda frame: frame.drop(columns="ill")[::-1], "public.csv"),
        FIT,
        "must be the rows of the release, in the same order",
    ),
    "different features": (
        lambda: changed("labels.csv", lambda frame: frame[["rooms"]].rename(columns={"rooms": "room"}), "public.csv"),
        FIT,
        "public.csv has no column 'area'",
    ),
    "existing output": (
        nothing,
        RELEASE.replace("new.unveil", "labels.unveil"),
        "labels.unveil exists, and a release never takes another file's place; choose a new name",
    ),
    "existing model": (
        without_labels,
        FIT.replace("new.model", "flats.json"),
        "flats.json exists, and is not overwritten",
    ),
    "model is input": (
        without_labels,
        FIT.replace("new.model", "public.csv --force"),
        "--model must not be public.csv, which is read",
    ),
    "predictions in the place of the rows": (
        nothing,
        "predict m people_public.csv --out people_public.csv --force",
        "--out must not be people_public.csv, which is read",
    ),
    "predictions in the place of the model": (
        nothing,
        "predict m people_public.csv --out m --force",
        "--out must not be m, which is read",
    ),
    "wrong protocol": (
        nothing,
        "fit products labels.unveil --model new.model",
        "is of the protocol 'mean-operator', not 'products': give unveil fit mean-operator",
    ),
    "wrong estimator": (
        without_labels,
        f"{FIT} --estimator CountTagger",
        "estimator must be one of MeanOperatorClassifier for mean-operator",
    ),
    "wrong setting": (without_labels, f"{FIT} --set L2=1", "has no setting 'L2'"),
    "ledger in the place of the release": (
        nothing,
        f"{PEOPLE_RELEASE} --ledger new",
        "--ledger must be a file of its own",
    ),
    "ledger in the place of the data": (
        nothing,
        f"{PEOPLE_RELEASE} --ledger people.csv",
        "--ledger must be a file of its own, not people.csv",
    ),
    "ledger in no folder": (nothing, f"{PEOPLE_RELEASE} --ledger nowhere/spent", "nowhere/spent"),
    "ledger that is none": (
        nothing,
        f"{PEOPLE_RELEASE} --ledger people_public.csv",
        "the ledger was altered or cut off",
    ),
    "negative limit": (nothing, f"{PEOPLE_RELEASE} --ledger spent --limit -1", "limit"),
    "limit that is none": (nothing, f"{PEOPLE_RELEASE} --ledger spent --limit nan", "limit"),
    "model as a release": (
        nothing,
        PEOPLE_FIT.replace(" r ", " m "),
        "m is no release file of the format 'unveil release 1', but says that it is 'unveil model 1'",
    ),
    "release as a model": (
        nothing,
        "predict r people_public.csv --out new.csv",
        "but says that it is 'unveil release 1'",
    ),
    "some of the rows": (
        nothing,
        PEOPLE_FIT.replace("people_public", "few"),
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


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_and_costs_nothing(folder: Unveil, mistake: str) -> None:
    prepare, line, message = MISTAKES[mistake]
    prepare()
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    done = folder(line)
    assert (done.code, done.err.count("\n")) == (1, 1), done
    assert message in done.err
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


def test_what_cures_them(folder: Unveil) -> None:
    """The same lines without the mistake do their work."""
    assert folder(RELEASE).code == 0
    assert Ledger("spent").spent("data.csv")[0] == pytest.approx(5)
    without_labels()
    assert folder(FIT).code == 0
    assert folder("predict new.model public.csv --out predicted.csv").code == 0
    assert set(pd.read_csv("predicted.csv")["prediction"]) <= {"yes", "no"}


@pytest.mark.filterwarnings("always:no convergence")
def test_what_an_estimator_warns_of_is_a_note_of_one_line(folder: Unveil) -> None:
    said = folder(f"{PEOPLE_FIT} --set max_iter=1").well().err
    assert said.startswith("unveil: note: no convergence in 1 steps")
    assert said.count("\n") == 1


def test_a_model_shows_the_weights_that_it_predicts_by(folder: Unveil) -> None:
    """In the units of the table: their sum over a row is the log odds of what is predicted for it."""
    head, *lines = folder("inspect m --values").well().out.partition("values  ")[2].splitlines()
    assert "of the score of 'yes'" in head
    shown = {line[2:32].strip(): line[32:].split() for line in lines}
    weights = {name: float(weight) for name, (weight, *_) in shown.items()}
    folder("predict m people_public.csv --out new.csv").well()
    frame, odds = pd.read_csv("people_public.csv"), pd.read_csv("new.csv")["probability of yes"]
    town = ("town = " + frame["town"]).map(weights)
    score = weights["constant"] + weights["age"] * frame["age"] + town
    assert np.allclose(np.log(odds / (1 - odds)), score, rtol=1e-3, atol=1e-2)
    low, high = (float(shown["age"][place]) for place in (3, 5))
    assert weights["age"] - low == pytest.approx(high - weights["age"], rel=1e-2)
    # A loss with a kink says nothing of how sure its weights are.
    folder(f"{PEOPLE_FIT} --set loss=absolute --set tol=1e-6").well()
    assert "95 %" not in folder("inspect new --values").well().out


def test_a_link_or_a_device_is_no_place_for_an_output(folder: Unveil) -> None:
    Path("link").symlink_to("elsewhere")
    before = [path.name for path in Path().iterdir()]
    assert folder(RELEASE.replace("new.unveil", "link")).code == 1
    assert folder(RELEASE.replace("new.unveil", "/dev/null")).code == 1
    assert folder(RELEASE.replace("data.csv", "/dev/zero")).code == 1
    without_labels()
    assert folder(f"{FIT} --force".replace("new.model", "link")).code == 1
    assert sorted(path.name for path in Path().iterdir()) == sorted([*before, "public.csv"])
    assert Ledger("spent").spent("data.csv")[0] == 1.0


def test_the_owner_hears_that_one_set_teaches_nobody(folder: Unveil) -> None:
    pd.read_csv("votes.csv").assign(district="d").to_csv("votes.csv", index=False)
    assert "1 set cannot tell 2 classes apart" in folder(f"{SETS} --out one").err
