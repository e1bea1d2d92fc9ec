"""Tables as spreadsheets, pandas and other programs leave them: read right, or refused in a line of advice."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from own_tables import Unveil
from unveil import tables
from unveil.ledger import Ledger
from unveil.protocols.base import Release

ROWS = "".join(f"{20 + i % 50},{'yes' if i % 3 else 'no'}\n" for i in range(60))
SCHEMA = {"columns": {"age": {"range": [0, 100]}, "ill": {"categories": ["no", "yes"]}}}
LINE = "release mean-operator {} --epsilon 2 --label ill --schema s.json --ledger spent --out o"
PLAIN = f"age,ill\n{ROWS}"

READ = {
    "a mark of the order of bytes": ("\ufeff" + PLAIN).encode(),
    "lines that end as on Windows": PLAIN.replace("\n", "\r\n").encode(),
    "lines that end as on old machines": PLAIN.replace("\n", "\r").encode(),
    "no end of the last line": PLAIN.rstrip().encode(),
    "everything in quotes": ("".join(f'"{a}","{b}"\n' for a, b in (s.split(",") for s in PLAIN.split()))).encode(),
    "blanks around numbers": PLAIN.replace("\n2", "\n 2").replace(",", " ,").replace("age ", "age").encode(),
}


@pytest.fixture
def folder(unveil: Unveil) -> Unveil:
    Path("s.json").write_text(json.dumps(SCHEMA))
    return unveil


@pytest.mark.parametrize("kind", READ)
def test_what_means_the_same_gives_the_same_release(folder: Unveil, kind: str) -> None:
    Path("plain.csv").write_text(PLAIN)
    Path("OTHER.CSV").write_bytes(READ[kind])
    for name, out in (("plain.csv", "a"), ("OTHER.CSV", "b")):
        line = f"release mean-operator {name} --epsilon 2 --label ill --schema s.json --simulation --seed 1 --out {out}"
        assert folder(line).err == ""
    assert Path("a").read_bytes() == Path("b").read_bytes()


REFUSED = {
    "16 bits a sign": (PLAIN.encode("utf-16"), "save it as CSV in UTF-8"),
    "Latin letters": (f"{PLAIN}33,nö\n".encode("latin-1"), "save it as CSV in UTF-8"),
    "names alone, without an end": (b"age,ill", "has no rows below its line of names"),
    "blank lines": (b"\n\n", "must begin with a line of column names: it is empty"),
    "a third class": (f"{PLAIN}30,maybe\n".encode(), "row 61 holds a class that the schema does not list, 'maybe'"),
    "a cell too many": (f"{PLAIN}30,yes,7\n".encode(), "Expected 2 columns, got 3"),
    "thousands": (b'age,ill\n"1,234",yes\n', "write decimals with a point, as in 1.5, and nothing between thousands"),
    "dates": (PLAIN.replace("\n", ",1990-01-01\n").replace("ill,1990-01-01", "ill,born").encode(), "leave it out"),
    "a name with a blank": (PLAIN.replace(",ill", ", ill").encode(), "did you mean ' ill'?"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_would_be_misread_is_refused_and_costs_nothing(folder: Unveil, kind: str) -> None:
    content, message = REFUSED[kind]
    Path("t.csv").write_bytes(content)
    done = folder(LINE.format("t.csv"))
    assert (done.code, done.err.count("\n")) == (1, 1), done
    assert message in done.err
    assert sorted(path.name for path in Path().iterdir()) == ["s.json", "t.csv"]


def test_one_class_is_released_where_the_classes_are_listed(folder: Unveil) -> None:
    Path("t.csv").write_text("age,ill\n30,yes\n40,yes\n")
    assert folder(LINE.format("t.csv")).code == 0
    Path("s.json").write_text(json.dumps({"columns": {"age": {"range": [0, 100]}}}))
    done = folder(LINE.format("t.csv").replace("--out o", "--out p"))
    assert "holds the label 'yes' only: list all classes in a schema file" in done.err
    assert Ledger("spent").spent("t.csv")[0] == 2.0


def test_truth_values_are_numbers_and_classes_alike_in_both_kinds_of_file(folder: Unveil) -> None:
    frame = pd.DataFrame({"age": [20, 33, 40] * 9, "smokes": [True, False, False] * 9, "ill": [False, True, False] * 9})
    frame.to_csv("t.csv", index=False)
    frame.to_parquet("t.parquet")
    Path("s.json").write_text(json.dumps({"columns": {"age": {"range": [0, 100]}}}))
    for name in ("csv", "parquet"):
        line = f"{LINE.format(f't.{name}')}{name} --simulation --seed 1"
        assert "False, True; list them" in folder(line).err
    assert Path("ocsv").read_bytes() == Path("oparquet").read_bytes()
    assert Release.load("ocsv").parameters["classes"] == ["False", "True"]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([20.0, None, 40.0], "row 2 is missing: fill it in"),
        (pd.to_datetime(["1990-01-01"] * 3), "not numbers: turn it into numbers, or leave it out"),
        ([[1], [2], [3]], "not numbers: turn it into numbers, or leave it out"),
        ([2**60, 2**60 + 1, 1], "must be scaled to [0, 1]"),
        ([1e308, 0.0, 1.0], "must be scaled to [0, 1]"),
    ],
)
def test_columns_of_parquet_that_are_no_features(folder: Unveil, column: object, message: str) -> None:
    pd.DataFrame({"other": column, "ill": ["yes", "no", "no"]}).to_parquet("t.parquet")
    Path("s.json").write_text(json.dumps({"columns": {"ill": {"categories": ["no", "yes"]}}}))
    done = folder(LINE.format("t.parquet"))
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert message in done.err
    assert not Path("spent").exists()


def test_a_name_with_a_comma_is_given_as_in_csv(folder: Unveil) -> None:
    rows = PLAIN.replace("\n", ",1\n").replace("ill,1", 'ill,"a,b"')
    Path("t.csv").write_text(rows)
    done = folder(f"{LINE.format('t.csv')} --features age,a,b")
    assert "no column 'a'" in done.err
    assert "it has age, ill, 'a,b'" in done.err
    assert folder(f'{LINE.format("t.csv")} --features age,"a,b"').code == 0


def test_names_are_compared_only_where_one_is_missing(folder: Unveil, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of columns, each compared with all, would take minutes."""

    def refuse(*_: object) -> list[str]:
        raise AssertionError("compared")

    monkeypatch.setattr(tables, "get_close_matches", refuse)
    X = np.arange(600).reshape(2, 300) / 600
    pd.DataFrame(X, columns=[f"c{i}" for i in range(300)]).assign(ill=["yes", "no"]).to_csv("t.csv", index=False)
    Path("s.json").write_text(json.dumps({"columns": {"ill": {"categories": ["no", "yes"]}}}))
    assert folder(LINE.format("t.csv")).code == 0
    assert folder("fit mean-operator o t.csv --model m").code == 0
    assert "and 260 more features" in folder("inspect o").out
    assert folder("predict m t.csv --out p.csv").code == 0


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf", "1e9", "1e-9"])
@pytest.mark.parametrize("protocol", ["mean-operator", "ratios", "records", "records --clear-features"])
def test_no_level_that_is_none(folder: Unveil, protocol: str, epsilon: str) -> None:
    Path("t.csv").write_text(PLAIN.replace("\n", ",1\n").replace("ill,1", "ill,set"))
    sets = "--sets set" if protocol == "ratios" else ""
    line = LINE.format("t.csv").replace("mean-operator", protocol).replace("--epsilon 2", f"--epsilon {epsilon} {sets}")
    done = folder(f"{line} --features age")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "--epsilon must be a number from" in done.err
    assert sorted(path.name for path in Path().iterdir()) == ["s.json", "t.csv"]


@pytest.mark.parametrize(("more", "ends"), [("", (8e-6 * 2, 13.8 * 2)), ("--states 256", (2 * 5.2e-4, 13.8 * 2))])
def test_the_levels_of_records_are_those_that_can_be_kept(folder: Unveil, more: str, ends: tuple[float, float]) -> None:
    Path("t.csv").write_text(PLAIN)
    for number, end in enumerate(ends):
        line = f"release records t.csv --epsilon {end} --label ill --schema s.json {more} --out {number}"
        done = folder(line)
        assert done.code == 0, done.err
        assert Release.load(str(number)).exact_epsilon <= end * (1 + 1e-6)
