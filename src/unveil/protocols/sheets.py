"""Tables that are looked at before anything is drawn: what would be misread is refused with advice.

Columns without names, semicolons, tabs; columns that number the rows are pointed out. What a cell holds is told by
`unveil.cells`.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import SEEK_END
from pathlib import Path
from typing import TypeAlias

from pyarrow import parquet

from unveil.cells import Batch
from unveil.errors import UnveilError, require
from unveil.tables import BUFFER, ROWS, read_batches, readable, require_columns

#: No line of names is longer.
_LONGEST = 1 << 20
#: Columns of these names number the rows.
_INDEX = ("id", "index", "row", "rowid", "row_id", "rownumber", "row_number")


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
        require_columns(path, names, names)
        return cls(path, tuple(names))

    def require_columns(self, wanted: Sequence[str]) -> None:
        """Raise unless the file has them all."""
        require_columns(self.path, self.names, wanted)

    def index_like(self) -> list[str]:
        """Columns that number the rows by the look of their names."""
        return [name for name in self.names if not name.strip() or _is_index(name)]

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Some columns, a batch of rows after the other, as texts: what is a number is for the columns' use to say."""
        done = 0
        for batch in read_batches(self.path, self.names, dict.fromkeys(columns, "text"), ROWS):
            rows = len(next(iter(batch.columns.values())))
            if rows:
                yield batch
                if self.watch:
                    self.watch(rows)
            done += rows
        require(done, f"{self.path} has no rows below its line of names")

    def watch_by(self, progress: Progress | None, passes: int = 1) -> Sheet:
        """The same sheet, which tells how much is read of all that will be: all rows, so many times."""
        if progress is None:
            return self
        done, total = 0, passes * max(_about_rows(self.path), 1)

        def watch(rows: int) -> None:
            nonlocal done
            done += rows
            progress(min(done / total, 1.0))

        return replace(self, watch=watch)


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
