"""Tables as people have them, CSV or Parquet, read by column names and a batch at a time.

What would be misread is refused with advice: columns without names, semicolons, decimal commas, missing values, text
where a number is wanted. Rows are counted from 1, the line of names not among them.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from difflib import get_close_matches
from os import SEEK_END
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from unveil.errors import UnveilError, require
from unveil.tables import BUFFER, ROWS, readable, record_batches
from unveil.types import Array

#: No line of names is longer.
_LONGEST = 1 << 20
#: What stands for nothing in tables that people have.
MISSING = ("", "na", "n/a", "nan", "null", "none", "?")
_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$|^\s*[+-]?(?i:inf|infinity)\s*$"
_DECIMAL_COMMA = r"^\s*[+-]?\d{1,3}(\.?\d{3})*,\d+\s*$|^\s*[+-]?\d+,\d+\s*$"
#: Columns of these names number the rows.
_INDEX = ("id", "index", "row", "rowid", "row_id", "rownumber", "row_number")

#: Some columns of some rows, by name.
Columns: TypeAlias = Mapping[str, Any]
#: Told which share of the work is done.
Progress: TypeAlias = Callable[[float], object]


@dataclass(frozen=True)
class Sheet:
    """A file whose columns have names; `batches` reads it anew each time."""

    path: Path
    names: tuple[str, ...]
    #: Told of each batch how many rows it had, once the caller is through with it.
    watch: Callable[[int], object] | None = None

    @classmethod
    def open(cls, path: Path) -> Sheet:
        """Find the names of the columns, and refuse a file that would be misread."""
        kind = path.suffix.lower()
        require(kind in (".csv", ".parquet"), f"{path} must be a .csv or a .parquet file: save the table as one")
        require(path.exists(), f"cannot read {path}: no such file")
        require(path.is_file(), f"cannot read {path}: it is no plain file")
        with readable(path):
            names = _csv_names(path) if kind == ".csv" else parquet.read_schema(path).names
        return cls(path, _different(path, names))

    def require_columns(self, wanted: Sequence[str]) -> None:
        """Raise unless the file has them all."""
        known = set(self.names)
        # Names that are alike are looked for last: among thousands of columns that takes a while.
        missing = next((name for name in wanted if name not in known), None)
        if missing is not None:
            near = get_close_matches(missing, self.names, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"it has {_listed(self.names)}"
            raise UnveilError(f"{self.path} has no column {missing!r}: {hint}")

    def index_like(self) -> list[str]:
        """Columns that number the rows by the look of their names."""
        return [name for name in self.names if not name.strip() or _is_index(name)]

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[int, Columns]]:
        """The number of rows before, and the columns, of one batch after the other."""
        self.require_columns(columns)
        done = 0
        # Text, as it stands: what is a number is for the columns' use to say.
        wanted = dict.fromkeys(columns, "text")
        with closing(record_batches(self.path, wanted, ROWS)) as parts:
            for part in parts:
                if part.num_rows:
                    yield done, dict(zip(wanted, part.columns, strict=True))
                    if self.watch:
                        self.watch(part.num_rows)
                done += part.num_rows
        require(done, f"{self.path} has no rows below its line of names")

    def watched(self, progress: Progress | None, passes: int = 1) -> Sheet:
        """The same sheet, which tells how much is read of all that will be: all rows, so many times."""
        if progress is None:
            return self
        done, total = 0, passes * max(_about_rows(self.path), 1)

        def watch(rows: int) -> None:
            nonlocal done
            done += rows
            progress(min(done / total, 1.0))

        return replace(self, watch=watch)


def numbers(column: Any, name: str, before: int, path: Path) -> Array:
    """The values of a column as doubles; what is missing or no number is an error that says where it is."""
    values = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    quick = _as_doubles(values)
    if quick is not None and np.isfinite(quick).all():
        return quick
    # From here on it is slow: to say what is wrong, or to take what is written in another way.
    where = f"{path}, column {name!r}"
    _require_present(values, where, before)
    values = _truths(values) if _is_text(values) else values
    kind = values.type
    if _is_text(values):
        _require_numbers(values, name, where, before)
        values = pc.utf8_ltrim(pc.utf8_trim_whitespace(values), "+")
    readable = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    readable = readable or pa.types.is_boolean(kind) or _is_text(values)
    require(readable, f"{where} holds {kind}, not numbers: turn it into numbers, or leave it out with --features")
    found = _as_doubles(values)
    assert found is not None  # noqa: S101 - whatever is readable has a value
    bad = np.flatnonzero(~np.isfinite(found))
    require(not len(bad), f"{where}, row {before + int(bad[0]) + 1 if len(bad) else 0} must hold a finite number")
    return found


def _as_doubles(values: Any) -> Array | None:
    """The values, NaN for those that are missing; None where Arrow does not take them for numbers."""
    try:
        # Whole numbers of more than 53 bits are rounded, as they would be in a text.
        return np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=float)
    except pa.ArrowException:
        return None


def _is_text(values: Any) -> bool:
    return bool(pa.types.is_string(values.type) or pa.types.is_large_string(values.type))


def _truths(values: Any) -> Any:
    """Texts as truth values where all of them are; as Parquet has them, they count as 0 and 1."""
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(values))
    known = pc.all(pc.is_in(plain, pa.array(("true", "false"), plain.type))).as_py()
    return pc.equal(plain, "true") if known else values


def texts(column: Any, name: str, before: int, path: Path) -> Any:
    """The values of a column as texts: whole numbers without a point, whatever the file calls their type."""
    values = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
    where = f"{path}, column {name!r}"
    _require_present(values, where, before)
    if pa.types.is_floating(values.type) and pc.all(pc.equal(pc.round(values), values)).as_py():
        values = pc.cast(values, pa.int64())
    if pa.types.is_boolean(values.type):
        return pc.if_else(values, "True", "False")  # as they stand in most CSV files
    try:
        return pc.cast(values, pa.string())
    except pa.ArrowException as error:
        raise UnveilError(f"{where} holds {values.type}, which has no text") from error


def number_order(values: Sequence[str]) -> list[str]:
    """Sorted as numbers where all are, else as texts."""
    try:
        return sorted(values, key=float)
    except ValueError:
        return sorted(values)


def _different(path: Path, names: Sequence[str]) -> tuple[str, ...]:
    seen: set[str] = set()
    for name in names:
        require(name not in seen, f"{path} has two columns {name!r}: give each a name of its own")
        seen.add(name)
    return tuple(names)


def _csv_names(path: Path) -> list[str]:
    """The first line, without Arrow: it would stumble over the decimals below before it told the names."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        names = next(csv.reader([lines.readline(_LONGEST)]), [])
        require(names, f"{path} must begin with a line of column names: it is empty")
        _require_commas(path, names)
        require(lines.read(1), f"{path} has no rows below its line of names")
    return names


def _about_rows(path: Path) -> int:
    """How many rows there are; of CSV, how many lines below the first."""
    with readable(path):
        if path.suffix.lower() == ".parquet":
            return int(parquet.read_metadata(path).num_rows)
        with path.open("rb") as file:
            ends = sum(block.count(b"\n") for block in iter(lambda: file.read(BUFFER), b""))
            file.seek(-1, SEEK_END)
            return ends - 1 + (file.read(1) != b"\n")


def _require_commas(path: Path, names: Sequence[str]) -> None:
    head = ",".join(names)
    for mark, called in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if len(names) <= head.count(mark):
            # Where the values have decimal commas the cells do not even line up.
            raise UnveilError(
                f"{path} separates its columns by {called}: save it with commas between columns and points in decimals"
            )
    worded = [name for name in names if name.strip()]
    require(not worded or not all(map(_is_number, worded)), f"{path} must begin with a line of column names")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_index(name: str) -> bool:
    plain = name.strip().lower()
    return plain in _INDEX or plain.startswith(("unnamed:", "__index_level_"))


def _require_present(values: Any, where: str, before: int) -> None:
    missing = pc.is_null(values, nan_is_null=True)
    if _is_text(values):
        plain = pc.utf8_lower(pc.utf8_trim_whitespace(values))
        missing = pc.or_kleene(missing, pc.is_in(plain, pa.array(MISSING, values.type)))
    row = pc.index(missing, True).as_py()
    require(row < 0, f"{where}, row {before + row + 1} is missing: fill it in, or leave the record out")


def _require_numbers(values: Any, name: str, where: str, before: int) -> None:
    row = pc.index(pc.match_substring_regex(values, _NUMBER), False).as_py()
    if row < 0:
        return
    found = values[row].as_py()
    at = f"{where}, row {before + row + 1} holds {found!r}"
    decimal = pc.match_substring_regex(pa.array([found]), _DECIMAL_COMMA)[0].as_py()
    require(not decimal, f"{at}: write decimals with a point, as in 1.5, and nothing between thousands")
    listed = f'{{"columns": {{"{name}": {{"categories": [...]}}}}}}'
    raise UnveilError(f"{at}, which is text: list its categories in a schema file, {listed}, or leave it out")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) if "," in name else name for name in names[:12])
    return f"{shown}, …" if len(names) > 12 else shown
