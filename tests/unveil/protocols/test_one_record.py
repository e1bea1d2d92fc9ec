"""One record's value is its own: whatever it is, no other record is encoded otherwise, whatever its type and reader."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv, parquet

from unveil import tables
from unveil.cells import number_order
from unveil.errors import UnveilError
from unveil.protocols import sheets
from unveil.protocols.columns import Column, Encoding
from unveil.protocols.sheets import Sheet
from unveil.tables import Table
from unveil.types import Array

#: Values of each type in Parquet, odd ones among them.
FLOATS = [0.0, -0.0, 1.0, 2.0, 0.5, 0.1, 1e15, 1e17, -1e300, 2.0**63, 5e-324, float("nan"), float("inf"), None]
WORDS = [
    "0",
    "1",
    "1.0",
    "+1",
    " 1",
    "1e2",
    "true",
    "FALSE",
    "a",
    "é",
    "a,b",
    'a"b',
    "1,5",
    "",
    "NA",
    "-0",
    "0x1",
    "1_0",
]
TYPES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "doubles": (pa.float64(), FLOATS),
    "floats": (pa.float32(), FLOATS),
    "halves": (pa.float16(), [np.float16(value) for value in (0.0, 1.0, 2.0, 0.5, 1e4, np.nan)]),
    "whole": (pa.int64(), [0, 1, 2, -1, 2**62, None]),
    "unsigned": (pa.uint64(), [0, 1, 2, 2**64 - 1]),
    "truths": (pa.bool_(), [True, False, None]),
    "decimals": (pa.decimal128(20, 2), [Decimal("0.00"), Decimal("1.00"), Decimal("0.50"), Decimal("-0.01"), None]),
    "texts": (pa.string(), [*WORDS, None]),
    "long texts": (pa.large_string(), WORDS),
    "listed": (pa.dictionary(pa.int8(), pa.string()), WORDS),
    "dates": (pa.date32(), [0, 1, 40_000, None]),
}
PUBLIC = {
    "categories": Column("v", categories=("0", "1", "2", "0.5", "a", "True", "1970-01-02")),
    "range": Column("v", range=(0.0, 10.0)),
    "bare": Column("v"),
}


def written(values: list[Any], kind: str, path: Path) -> None:
    column = pa.array(values, TYPES[kind][0]) if kind != "listed" else pa.array(values).cast(TYPES[kind][0])
    table = pa.table({"v": column, "k": np.arange(len(values))})
    parquet.write_table(table, path) if path.suffix == ".parquet" else csv.write_csv(table, path)


def encode(path: Path) -> dict[str, Array | None]:
    """What every use of the column makes of its rows; None where it refuses one."""
    sheet, uses = Sheet.open(path), dict[str, Callable[[], Iterable[Array]]]()
    for name, column in PUBLIC.items():
        encoding = Encoding((column,), column, scaled=False)
        uses[name] = partial(map, encoding.matrix, sheet.batches(["v"]))
    uses["text"] = partial(map, lambda batch: batch.texts("v"), sheet.batches(["v"]))
    for kind in tables.KINDS:
        uses[f"a table's {kind}"] = partial(
            map, lambda batch: batch["v"].astype(object), Table(path, 3).read({"v": kind})
        )
    return {name: _or_none(use) for name, use in uses.items()}


def _or_none(use: Callable[[], Iterable[Array]]) -> Array | None:
    try:
        return np.concatenate([np.asarray(part) for part in use()])
    except UnveilError:
        return None


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
@pytest.mark.parametrize("kind", TYPES)
@settings(max_examples=25)
@given(data=st.data())
def test_one_record_changes_one_record(kind: str, ending: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.sampled_from(TYPES[kind][1]), min_size=2, max_size=10))
    at, other = data.draw(st.integers(0, len(values) - 1)), data.draw(st.sampled_from(TYPES[kind][1]))
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sheets, "ROWS", 3)
        patch.setattr(tables, "BUFFER", 32 if ending == ".csv" else 1 << 20)
        found = []
        for number, own in enumerate((values, [*values[:at], other, *values[at + 1 :]])):
            written(own, kind, Path(folder, f"{number}{ending}"))
            found.append(encode(Path(folder, f"{number}{ending}")))
    for use, here in found[0].items():
        there = found[1][use]
        if here is not None and there is not None:
            assert len(here) == len(there) == len(values)
            for place in {*range(len(values))} - {at}:
                assert repr(here[place]) == repr(there[place]), use


def test_a_number_has_one_text_whatever_stands_beside_it(tmp_path: Path) -> None:
    """The one 0.5 among 65,536 categories that were whole numbers made all of them none of the list."""
    values = np.tile([0.0, 1.0], 1 << 15)
    values[77] = 0.5
    parquet.write_table(pa.table({"v": values}), tmp_path / "x.parquet")
    (batch,) = Sheet.open(tmp_path / "x.parquet").batches(["v"])
    codes = Column("v", categories=("0", "1")).codes(batch)
    assert codes[77] == -1
    np.testing.assert_array_equal(np.delete(codes, 77), np.delete(values, 77))


def test_the_order_of_names_does_not_hang_on_the_order_of_rows() -> None:
    for names in (["1", "1.0", "+1", "0"], ["b", "a"], ["-nan", "1", "0"]):
        assert number_order(names) == number_order(names[::-1])
