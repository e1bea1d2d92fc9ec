"""CSV and Parquet files read a batch at a time, columns by name: tables that need not fit into memory."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from unveil.cells import Batch, kind_of
from unveil.errors import UnveilError, is_whole, require
from unveil.types import Array

#: Rows of a batch, unless told otherwise.
ROWS = 1 << 16
#: Bytes of a Parquet column, or of a CSV file, that are looked at together.
BUFFER = 1 << 20
#: What a column is read as.
KINDS = ("number", "whole", "text")
_CSV, _PARQUET = (".csv", ".csv.gz"), (".parquet", ".pq")

#: A file, or shards of one table in several files.
Paths: TypeAlias = str | Path | Sequence[str | Path]


@dataclass(frozen=True)
class Table:
    r"""A table in one file or in several, CSV (with a line of names) or Parquet, whose rows are read in batches.

    Parameters
    ----------
    paths : path, or sequence of paths
        The file, or the shards in their order.
    rows : int
        How many rows a batch has at most. A file's last may have fewer, and so may all of a CSV file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("age,city,income\n20,A,1.5\n60,B,2.5\n")
    ...     table = Table(path)
    ...     table.columns()
    ...     for batch in table.read({"city": "text", "age": "whole"}):
    ...         batch
    ...     for X, y in table.pairs(["age", "income"], "income"):
    ...         X.tolist(), y.tolist()
    {'age': 'whole', 'city': 'text', 'income': 'number'}
    {'city': array(['A', 'B'], dtype='<U1'), 'age': array([20, 60])}
    ([[20.0, 1.5], [60.0, 2.5]], [1.5, 2.5])

    See Also
    --------
    CoordinateRelease, PerValueRelease, MomentRegression : what takes such batches.
    """

    paths: Paths
    rows: int = ROWS

    def __post_init__(self) -> None:
        """Check that the files can be tables."""
        some = [self.paths] if isinstance(self.paths, str | Path) else list(self.paths)
        require(some, "paths must name at least one file")
        require(is_whole(self.rows) and self.rows >= 1, f"rows must be a whole number, at least 1, not {self.rows!r}")
        paths = tuple(Path(path) for path in some)
        for path in paths:
            require(_ends(path, _CSV + _PARQUET), f"{path} must be a .csv, .csv.gz or .parquet file")
            require(path.is_file(), f"cannot read {path}: no such file")
        object.__setattr__(self, "paths", paths)

    @property
    def files(self) -> tuple[Path, ...]:
        """The files, in order."""
        return self.paths  # type: ignore[return-value]

    def columns(self) -> dict[str, str]:
        """What the first file's columns look like: "number", "whole" or "text" by name; of CSV, the first rows."""
        schema = _schema(self.files[0])
        return dict(zip(schema.names, map(kind_of, schema.types), strict=True))

    def read(self, columns: Mapping[str, str]) -> Iterator[dict[str, Array]]:
        """Batches of some columns, in the order asked for.

        Parameters
        ----------
        columns : mapping of str to {"number", "whole", "text"}
            The names, and what each is read as. Numbers come as doubles from CSV, as they are from Parquet.

        Returns
        -------
        iterator of dict of str to ndarray
            Nothing in them is missing: an empty cell is an error.
        """
        for name, kind in columns.items():
            require(kind in KINDS, f"column {name!r} must be read as one of {', '.join(KINDS)}, not {kind!r}")
        for path in self.files:
            for batch in read_batches(path, _schema(path).names, columns, self.rows):
                yield {name: batch.values(name, kind) for name, kind in columns.items()}

    def pairs(self, features: Sequence[str], target: str) -> Pairs:
        """Features and target, as mechanisms publish them and estimators are fitted to them."""
        return Pairs(self, tuple(features), target)


@dataclass(frozen=True)
class Pairs:
    """Batches (X, y) of a table, which can be gone through more than once; rows of X lie together in memory."""

    table: Table
    features: tuple[str, ...]
    target: str

    def __post_init__(self) -> None:
        """Check the names."""
        require(self.features, "features must name at least one column")
        require(len(set(self.features)) == len(self.features), "features must name each column once")

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        columns = dict.fromkeys([*self.features, self.target], "number")
        for batch in self.table.read(columns):
            yield matrix([batch[name] for name in self.features]), batch[self.target]


def matrix(columns: Sequence[Array]) -> Array:
    """Columns as a matrix whose rows lie together, in the least type that holds them all."""
    rows = np.empty((len(columns[0]), len(columns)), dtype=np.result_type(*columns))
    # A few rows at a time stay in the cache while all columns are written into them.
    for start in range(0, len(rows), 1 << 10):
        part = slice(start, start + (1 << 10))
        for j, column in enumerate(columns):
            rows[part, j] = column[part]
    return rows


def _ends(path: Path, endings: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(endings)


def _schema(path: Path) -> pa.Schema:
    with readable(path):
        if _ends(path, _PARQUET):
            return parquet.read_schema(path)
        with csv.open_csv(path, csv.ReadOptions(block_size=BUFFER, use_threads=False)) as reader:
            return reader.schema


def require_columns(path: Path, names: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise unless a file with columns of these names has all that are wanted."""
    known = set(names)
    # Names that are alike are looked for last: among thousands of columns that takes a while.
    missing = next((name for name in wanted if name not in known), None)
    if missing is not None:
        near = get_close_matches(missing, names, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {_list_names(names)}"
        raise UnveilError(f"{path} has no column {missing!r}: {hint}")
    twice = next((name for name in wanted if names.count(name) > 1), None) if len(known) < len(names) else None
    require(twice is None, f"{path} has two columns {twice!r}: give each a name of its own")


def _list_names(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) if "," in name else name for name in names[:12])
    return f"{shown}, …" if len(names) > 12 else shown


def read_batches(path: Path, names: Sequence[str], columns: Mapping[str, str], rows: int) -> Iterator[Batch]:
    """Batches of some columns of a file that has columns of these names; of CSV in the kinds asked for."""
    require_columns(path, names, list(columns))
    before = 0
    with closing(_record_batches(path, columns, rows)) as parts:
        for part in parts:
            yield Batch(path, before, dict(zip(columns, part.columns, strict=True)))
            before += part.num_rows


def _record_batches(path: Path, columns: Mapping[str, str], rows: int) -> Generator[pa.RecordBatch, None, None]:
    """Batches as Arrow has them: of CSV in the kinds asked for, of Parquet in the file's own."""
    with readable(path):
        if _ends(path, _PARQUET):
            with parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False) as file:
                for part in file.iter_batches(rows, columns=list(columns), use_threads=False):
                    yield part.select(list(columns))
            return
        types = {"number": pa.float64(), "whole": pa.int64(), "text": pa.string()}
        convert = csv.ConvertOptions(
            include_columns=list(columns),
            # By the name, not by the first rows: a later block must not be read as something else.
            column_types={name: types[kind] for name, kind in columns.items()},
        )
        with csv.open_csv(path, csv.ReadOptions(block_size=BUFFER, use_threads=False), None, convert) as reader:
            for part in reader:
                for start in range(0, part.num_rows, rows):
                    yield part.slice(start, rows)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turns what pyarrow says of a file into one line that names the file."""
    try:
        yield
    except UnveilError:
        raise
    except OSError as error:
        raise UnveilError(f"cannot read {path}: {error.strerror or _join_line(error)}") from error
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise UnveilError(f"{path} must hold a table: {_advise(_join_line(error))}") from error


def _advise(said: str) -> str:
    """What Arrow says, and what to do where that is known."""
    if "UTF8" in said or "utf-8" in said:
        return "it is not in UTF-8; save it as CSV in UTF-8"
    if "columns, got" in said:
        return f"{said}; write decimals with a point, and texts that hold commas in quotes"
    return said


def _join_line(error: BaseException) -> str:
    return " ".join(str(error).split())
