"""Twelve mistakes of a newcomer: each is one line that says what to do, and nothing is spent or overwritten."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng

from unveil.command import main as cli
from unveil.ledger import Ledger

Unveil = Callable[..., tuple[int, str]]
RELEASE = "release products data.csv --epsilon 4 --label rent --schema schema.json --ledger spent --out new.unveil"
SCHEMA = {"area": {"range": [0, 100]}, "rooms": {"range": [1, 8]}, "rent": {"range": [0, 1000]}}


@pytest.fixture
def unveil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Unveil:
    """The command, in a folder with a table, a schema, and a ledger that has seen one release."""
    monkeypatch.chdir(tmp_path)

    def run(line: str) -> tuple[int, str]:
        capsys.readouterr()
        code = cli.main(line.split())
        return code, capsys.readouterr().err

    rng = default_rng(0)
    frame = pd.DataFrame({"area": rng.uniform(0, 100, 50).round(1), "rooms": rng.integers(1, 9, 50)})
    frame["rent"] = (5 * frame["area"] + 50 * frame["rooms"]).round(1)
    frame.to_csv("data.csv", index=False)
    frame.assign(
        ill=np.where(frame["rent"] > 450, "yes", "no"), area=frame["area"] / 100, rooms=frame["rooms"] / 8
    ).drop(columns="rent").to_csv("labels.csv", index=False)
    Path("schema.json").write_text(json.dumps({"columns": SCHEMA}))
    Ledger("spent").spend("data.csv", 1.0)
    assert run("release mean-operator labels.csv --epsilon 4 --label ill --out labels.unveil")[0] == 0
    return run


def files() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path().iterdir()}


def changed(name: str, change: Callable[[pd.DataFrame], object], to: str | None = None) -> None:
    """Write a table that was changed in some way."""
    frame = pd.read_csv(name)
    found = change(frame)
    (found if isinstance(found, pd.DataFrame) else frame).to_csv(to or name, index=False)


def set_cell(value: object) -> Callable[[pd.DataFrame], object]:
    return lambda frame: frame.astype(object).where(~((frame.index == 6)[:, None] & (frame.columns == "area")), value)


def index_column() -> None:
    pd.read_csv("data.csv").to_csv("data.csv")


def semicolons() -> None:
    pd.read_csv("data.csv").to_csv("data.csv", sep=";", decimal=",", index=False)


def text_column() -> None:
    changed("data.csv", lambda frame: frame.assign(rent=np.where(frame["rent"] > 450, "dear", "cheap")))


def one_class() -> None:
    changed("labels.csv", lambda frame: frame.assign(ill="yes"))


FIT = "fit mean-operator labels.unveil public.csv --model new.model"
LABELS = "release mean-operator labels.csv --epsilon 4 --label ill --ledger spent --out new.unveil"
MISTAKES: dict[str, tuple[Callable[[], object], str, str]] = {
    "wrong column": (
        lambda: None,
        RELEASE.replace("--label rent", "--label rnt"),
        "no column 'rnt': did you mean 'rent'",
    ),
    "NaN": (lambda: changed("data.csv", set_cell(None)), RELEASE, "column 'area', row 7 is missing: fill it in"),
    "semicolons": (semicolons, RELEASE, "separates its columns by semicolons: save it with commas"),
    "European decimals": (
        lambda: changed("data.csv", set_cell("5,5")),
        RELEASE,
        "column 'area', row 7 holds '5,5': write decimals with a point",
    ),
    "index column": (index_column, RELEASE, "column '' numbers the rows: save the table without its index"),
    "labels as text": (text_column, RELEASE, "column 'rent', row 1 holds"),
    "unscaled features": (
        lambda: changed("labels.csv", lambda frame: frame.assign(area=100 * frame["area"])),
        LABELS,
        "features must be scaled to [0, 1] by a public range; give --range area=LOW:HIGH",
    ),
    "no public range": (
        lambda: None,
        RELEASE.replace("--schema schema.json", "--range rent=0:1000"),
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
        lambda: None,
        RELEASE.replace("new.unveil", "labels.unveil"),
        "labels.unveil exists, and a release never takes another file's place; choose a new name",
    ),
    "existing model": (
        lambda: changed("labels.csv", lambda frame: frame.drop(columns="ill"), "public.csv"),
        FIT.replace("new.model", "schema.json"),
        "schema.json exists, and is not overwritten",
    ),
    "output is input": (lambda: None, RELEASE.replace("new.unveil", "data.csv"), "data.csv exists"),
    "model is input": (
        lambda: changed("labels.csv", lambda frame: frame.drop(columns="ill"), "public.csv"),
        FIT.replace("new.model", "public.csv --force"),
        "--model must not be public.csv, which is read",
    ),
    "wrong protocol": (
        lambda: None,
        "fit products labels.unveil --model new.model",
        "is of the protocol 'mean-operator', not 'products': give unveil fit mean-operator",
    ),
    "wrong estimator": (
        lambda: changed("labels.csv", lambda frame: frame.drop(columns="ill"), "public.csv"),
        f"{FIT} --estimator CountTagger",
        "estimator must be one of MeanOperatorClassifier for mean-operator",
    ),
    "wrong setting": (
        lambda: changed("labels.csv", lambda frame: frame.drop(columns="ill"), "public.csv"),
        f"{FIT} --set L2=1",
        "has no setting 'L2'",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_and_costs_nothing(unveil: Unveil, mistake: str) -> None:
    prepare, line, message = MISTAKES[mistake]
    prepare()
    before = files()
    code, said = unveil(line)
    assert code == 1
    assert message in said
    assert said.count("\n") == 1
    assert "Traceback" not in said
    assert files() == before


def test_what_cures_them(unveil: Unveil) -> None:
    """The same lines without the mistake do their work."""
    assert unveil(RELEASE)[0] == 0
    assert Ledger("spent").spent("data.csv")[0] == pytest.approx(5)
    changed("labels.csv", lambda frame: frame.drop(columns="ill"), "public.csv")
    assert unveil(FIT)[0] == 0
    assert unveil("predict new.model public.csv --out predicted.csv")[0] == 0
    assert set(pd.read_csv("predicted.csv")["prediction"]) <= {"yes", "no"}


def test_a_link_or_a_device_is_no_place_for_an_output(unveil: Unveil) -> None:
    Path("link").symlink_to("elsewhere")
    before = [path.name for path in Path().iterdir()]
    assert unveil(RELEASE.replace("new.unveil", "link"))[0] == 1
    assert unveil(RELEASE.replace("new.unveil", "/dev/null"))[0] == 1
    assert unveil(RELEASE.replace("data.csv", "/dev/zero"))[0] == 1
    changed("labels.csv", lambda frame: frame.drop(columns="ill"), "public.csv")
    assert unveil(f"{FIT} --force".replace("new.model", "link"))[0] == 1
    assert sorted(path.name for path in Path().iterdir()) == sorted([*before, "public.csv"])
    assert Ledger("spent").spent("data.csv")[0] == 1.0
