"""Tables in batches: by name, in order, nothing missing, in memory that does not grow with the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from pyarrow import parquet

from unveil.errors import UnveilError
from unveil.tables import Table, matrix

Shards: TypeAlias = tuple[list[Path], pd.DataFrame]


@pytest.fixture(params=["csv", "csv.gz", "parquet"])
def shards(request: pytest.FixtureRequest, tmp_path: Path) -> Shards:
    """The same table, three shards of it, and what was written."""
    frame = pd.DataFrame(
        {"a": default_rng(0).random(1000), "b": np.arange(1000), "c": [f"k{i % 7}" for i in range(1000)]}
    )
    paths = [tmp_path / f"part{i}.{request.param}" for i in range(3)]
    for path, start, stop in zip(paths, (0, 1, 400), (1, 400, 1000), strict=True):
        part = frame.iloc[start:stop]
        part.to_parquet(path, row_group_size=37) if request.param == "parquet" else part.to_csv(path, index=False)
    return paths, frame


@pytest.mark.parametrize("rows", [1, 64, 10_000])
def test_batches_hold_the_rows_in_order(shards: Shards, rows: int) -> None:
    paths, frame = shards
    batches = list(Table(paths, rows).read({"c": "text", "a": "number", "b": "whole"}))
    assert all(list(batch) == ["c", "a", "b"] and len(batch["a"]) <= rows for batch in batches)
    for name in frame:
        np.testing.assert_array_equal(np.concatenate([batch[name] for batch in batches]), frame[name].to_numpy())
    assert Table(paths).columns() == {"a": "number", "b": "whole", "c": "text"}


def test_pairs_can_be_read_twice(shards: Shards) -> None:
    paths, frame = shards
    pairs = Table(paths, 100).pairs(["b", "a"], "a")
    for _ in range(2):
        X, y = (np.concatenate(part) for part in zip(*pairs, strict=True))
        np.testing.assert_array_equal(X, frame[["b", "a"]].to_numpy())
        np.testing.assert_array_equal(y, frame["a"])


@settings(deadline=None)
@given(st.lists(st.sampled_from(["f4", "f8", "i1", "?"]), min_size=1, max_size=5), st.integers(0, 3000))
def test_matrix_is_that_of_numpy(types: list[str], n: int) -> None:
    columns = [default_rng(j).integers(0, 2, n).astype(kind) for j, kind in enumerate(types)]
    ours = matrix(columns)
    assert ours.dtype == np.result_type(*types)
    assert ours.flags.c_contiguous
    np.testing.assert_array_equal(ours, np.column_stack(columns))


def test_single_precision_stays(tmp_path: Path) -> None:
    parquet.write_table(
        pa.table({"x": np.array([0.1], np.float32), "y": np.array([1], np.float32)}), tmp_path / "t.parquet"
    )
    ((X, y),) = Table(tmp_path / "t.parquet").pairs(["x"], "y")
    assert X.dtype == y.dtype == np.float32


def test_a_later_block_is_read_as_the_first(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x\n" + "1\n" * 1_000_000 + "0.5\n")
    assert sum(batch["x"].sum() for batch in Table(path).read({"x": "number"})) == 1_000_000.5
    with pytest.raises(UnveilError, match=r"t\.csv must hold a table: .*0\.5"):
        list(Table(path).read({"x": "whole"}))


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        ("age,y\n1,2\n", {"agee": "number"}, "has no column 'agee': did you mean 'age'?"),
        ("a,a\n1,2\n", {"a": "number"}, "two columns 'a'"),
        ("a,b\n1,2\n,3\n", {"a": "number"}, "column 'a' must not have missing values"),
        ("a\nx\n", {"a": "number"}, "must hold a table: .*invalid value 'x'"),
        ("a\n1\n", {"a": "date"}, "column 'a' must be read as one of number, whole, text, not 'date'"),
        ("", {"a": "number"}, "must hold a table: Empty CSV file"),
        ("a,b\n1,2\n1\n", {"a": "number"}, "must hold a table: .*Expected 2 columns, got 1"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, text: str, columns: dict[str, str], message: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(UnveilError, match=message) as error:
        list(Table(tmp_path / "t.csv").read(columns))
    assert "\n" not in str(error.value)


def test_files_that_are_no_tables(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_bytes(b"PAR1 no")
    parquet.write_table(pa.table({"s": ["a"], "x": [0.5]}), tmp_path / "s.parquet")
    for path, columns, message in [
        ("t.parquet", {"s": "number"}, r"t\.parquet must hold a table"),
        ("s.parquet", {"s": "number"}, r"column 's' must hold numbers, not string"),
        ("s.parquet", {"x": "whole"}, r"column 'x' must hold whole numbers, not double"),
    ]:
        with pytest.raises(UnveilError, match=message):
            list(Table(tmp_path / path).read(columns))
    for path, message in [("t.txt", r"must be a \.csv"), ("u.csv", "no such file")]:
        with pytest.raises(UnveilError, match=message):
            Table(tmp_path / path)
    with pytest.raises(UnveilError, match="at least one file"):
        Table([])


GROWTH = """
import resource, sys
from pathlib import Path
from unveil.tables import Table
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
small, large = sys.argv[1:]
names = [f"x{j}" for j in range(16)]
sum(len(y) for _, y in Table(small, 4096).pairs(names[1:], names[0]))
before = peak()
assert sum(len(y) for _, y in Table(large, 4096).pairs(names[1:], names[0])) == 1_000_000
print(peak() - before)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """64 MB in one row group; a reader that decodes a whole group would need them all."""
    for name, n in (("small", 10_000), ("large", 1_000_000)):
        table = pa.table({f"x{j}": default_rng(j).random(n, dtype=np.float32) for j in range(16)})
        parquet.write_table(table, tmp_path / f"{name}.parquet", row_group_size=n)
    paths = [str(tmp_path / f"{name}.parquet") for name in ("small", "large")]
    done = subprocess.run([sys.executable, "-c", GROWTH, *paths], capture_output=True, text=True, check=True)
    unit = 1024 if sys.platform == "linux" else 1
    assert int(done.stdout) * unit < 40 << 20
