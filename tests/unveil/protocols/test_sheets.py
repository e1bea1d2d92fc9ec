"""Tables as people have them: what is read, and what is refused with the row, the column and what to do."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.cells import number_order
from unveil.errors import UnveilError
from unveil.protocols.columns import Column, Encoding, find_classes, read_schema
from unveil.protocols.sheets import Sheet


def written(folder: Path, text: str, name: str = "t.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def column(path: Path, name: str) -> np.ndarray:
    return np.concatenate([batch.numbers(name) for batch in Sheet.open(path).batches([name])])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("a;b\n1;2\n", "separates its columns by semicolons: save it with commas"),
        ("a;b\n1,5;2,5\n", "semicolons"),
        ("a\tb\n1\t2\n", "by tabs"),
        ("1,2\n3,4\n", "must begin with a line of column names"),
        ("a,a\n1,2\n", "two columns 'a'"),
        ("x\n", "no rows below"),
        ("x\n1\n\n2,5\n", "write decimals with a point"),
        ("x\n1\nnan\n", "column 'x', row 2 is missing: fill it in"),
        ("x,y\n1,1\n,1\n", "column 'x', row 2 is missing"),
        ('x\n1\n"2,5"\n', "row 2 holds '2,5': write decimals with a point"),
        ('x\n"1.234,5"\n', "write decimals with a point"),
        ("x\nParis\n", "holds 'Paris', which is text: list its categories in a schema file"),
        ("x\n1_000\n", "which is text"),
        ("x\ninf\n", "row 1 must hold a finite number"),
        ("x\n1e999\n", "row 1 must hold a finite number"),
    ],
)
def test_what_cannot_be_used_is_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UnveilError) as refused:
        column(written(tmp_path, text), "x")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "latin.csv").write_bytes("x,naïve\n1,2\n".encode("latin-1"))
    (tmp_path / "broken.parquet").write_bytes(b"PAR1")
    for name, message in {
        "nowhere.csv": "no such file",
        "folder.csv": "no plain file",
        "table.xlsx": "must be a .csv or a .parquet file",
        "latin.csv": "not in UTF-8",
        "broken.parquet": "broken.parquet",
    }.items():
        with pytest.raises(UnveilError, match=message):
            Sheet.open(tmp_path / name)


def test_columns_go_by_their_names(tmp_path: Path) -> None:
    path = written(tmp_path, "\ufeffage, height ,+\n1, 2.50 ,+3\n-1e2,.5,4.\n")
    sheet = Sheet.open(path)
    assert sheet.names == ("age", " height ", "+")
    assert column(path, "age").tolist() == [1, -100]
    assert column(path, " height ").tolist() == [2.5, 0.5]
    assert column(path, "+").tolist() == [3, 4]
    with pytest.raises(UnveilError, match="no column 'agee': did you mean 'age'"):
        sheet.require_columns(["agee"])
    with pytest.raises(UnveilError, match="no column 'zzz': it has age"):
        sheet.require_columns(["zzz"])


def test_parquet_is_read_like_csv(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"w": [1, 2, 3], "f": [1.0, 2.5, 3.0], "b": [True, False, True], "t": ["x", "y", "x"], "l": [1.0, 2.0, 2.0]}
    )
    frame["c"] = frame["t"].astype("category")
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    for name in ("w", "f"):
        assert np.array_equal(column(tmp_path / "t.parquet", name), column(tmp_path / "t.csv", name))
    assert column(tmp_path / "t.parquet", "b").tolist() == [1, 0, 1]
    (batch,) = Sheet.open(tmp_path / "t.parquet").batches(["t", "c", "l", "w"])
    assert [batch.texts(name).to_pylist() for name in ("t", "c", "l", "w")] == [
        ["x", "y", "x"],
        ["x", "y", "x"],
        ["1", "2", "2"],
        ["1", "2", "3"],
    ]
    frame.loc[1, "f"] = np.nan
    frame.to_parquet(tmp_path / "n.parquet")
    with pytest.raises(UnveilError, match="column 'f', row 2 is missing"):
        column(tmp_path / "n.parquet", "f")
    pd.DataFrame({"x": pd.to_datetime(["2026-01-01"])}).to_parquet(tmp_path / "d.parquet")
    with pytest.raises(UnveilError, match="column 'x' holds timestamp"):
        column(tmp_path / "d.parquet", "x")


def test_columns_that_number_the_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame({"x": [1.0], "Index": [0], "age": [3]}).to_csv(path)
    assert Sheet.open(path).index_like() == ["", "Index"]
    path.write_text("Unnamed: 0,width\n1,2\n")
    assert Sheet.open(path).index_like() == ["Unnamed: 0"]


def test_rows_are_counted_over_batches(tmp_path: Path) -> None:
    path = written(tmp_path, "x\n" + "1\n" * 300_000 + "oops\n")
    with pytest.raises(UnveilError, match="row 300001 holds 'oops'"):
        column(path, "x")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_numbers_come_back_as_they_were_written(tmp_path_factory: pytest.TempPathFactory, values: list[float]) -> None:
    path = tmp_path_factory.mktemp("n") / "t.csv"
    path.write_text("x\n" + "".join(f"{value!r}\n" for value in values))
    assert column(path, "x").tolist() == values


SCHEMA = '{"columns": {"age": {"range": [0, 100]}, "city": {"categories": ["A", "B", 3]}}}'


def test_a_schema_makes_features(tmp_path: Path) -> None:
    schema = read_schema(written(tmp_path, SCHEMA, "s.json"), ["x=-1:1"])
    encoding = Encoding(tuple(map(schema.__getitem__, ("age", "city", "x"))), Column("y"))
    path = written(tmp_path, "city,age,x\nA,50,0\n3,150,-2\nZ,0,1\n")
    (batch,) = Sheet.open(path).batches(encoding.names)
    outside: Counter[str] = Counter()
    expected = [[0.5, 1, 0, 0, 0.5], [1, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    assert encoding.matrix(batch, outside).tolist() == expected
    assert encoding.width == 5
    assert outside == {"age": 1, "city": 1, "x": 1}
    assert Encoding.of(encoding.describe()) == encoding


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"columns": []}',
        '{"columns": {"a": {}}}',
        '{"columns": {"a": {"range": [1, 0]}}}',
        '{"columns": {"a": {"range": [0]}}}',
        '{"columns": {"a": {"range": [0, 1], "categories": ["x"]}}}',
        '{"columns": {"a": {"categories": ["x", "x"]}}}',
        '{"columns": {"a": {"categories": "xy"}}}',
        '{"columns": {"a": {"rnage": [0, 1]}}}',
        '{"columns": {"a": {"range": [0, Infinity]}}}',
        "{",
    ],
)
def test_schemas_that_are_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(UnveilError, match=r"schema|must give 'a' a range"):
        read_schema(written(tmp_path, text, "s.json"), [])


def test_ranges_that_are_none(tmp_path: Path) -> None:
    for text in ("x", "x=1", "x=2:1", "x=a:b", "=0:1", "x=0:nan"):
        with pytest.raises(UnveilError, match="--range"):
            read_schema(None, [text])
    with pytest.raises(UnveilError, match="twice"):
        read_schema(None, ["x=0:1", "x=0:2"])


def test_classes_are_found_or_given(tmp_path: Path) -> None:
    sheet = Sheet.open(written(tmp_path, "y,z\n10,yes\n9,yes\n10,yes\n"))
    assert find_classes(sheet, Column("y")).categories == ("9", "10")
    with pytest.raises(UnveilError, match="holds the label 'yes' only: list all classes in a schema"):
        find_classes(sheet, Column("z"))
    assert find_classes(sheet, Column("z", categories=("no", "yes"))).categories == ("no", "yes")
    with pytest.raises(UnveilError, match="row 1 holds a class that the schema does not list"):
        find_classes(sheet, Column("z", categories=("no", "maybe")))
    assert number_order(["b", "10", "9"]) == ["10", "9", "b"]
