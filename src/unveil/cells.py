"""The cells of tables as people have them: numbers and texts, or a line that says where there are none, and what to do.

What a cell becomes is a function of its value and of the column's type in the file, never of the cells around it: one
record must not change what is made of the others. Rows are counted from 1, the line of names not among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unveil.errors import UnveilError, require
from unveil.types import Array

#: What stands for nothing in tables that people have.
MISSING = ("", "na", "n/a", "nan", "null", "none", "?")
_NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$|^\s*[+-]?(?i:inf|infinity)\s*$"
_DECIMAL_COMMA = r"^\s*[+-]?\d{1,3}(\.?\d{3})*,\d+\s*$|^\s*[+-]?\d+,\d+\s*$"


class Batch(NamedTuple):
    """Some rows of a file: its path, how many rows came before, and columns of these by name."""

    path: Path
    before: int
    columns: Mapping[str, Any]

    def where(self, name: str) -> str:
        """How errors call a column."""
        return f"{self.path}, column {name!r}"

    def _column(self, name: str) -> Any:
        column = self.columns[name]
        return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column

    def numbers(self, name: str) -> Array:
        """The values of a column as doubles; what is missing or no number is an error that says where it is."""
        values = self._column(name)
        quick = _as_doubles(values)
        if quick is not None and np.isfinite(quick).all():
            return quick
        # From here on it is slow: to say what is wrong, or to take what is written in another way.
        where = self.where(name)
        _require_present(values, where, self.before)
        values = _truths(values) if _is_text(values) else values
        kind = values.type
        if _is_text(values):
            _require_numbers(values, name, where, self.before)
            values = pc.utf8_ltrim(pc.utf8_trim_whitespace(values), "+")
        readable = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        readable = readable or pa.types.is_boolean(kind) or _is_text(values)
        require(readable, f"{where} holds {kind}, not numbers: turn it into numbers, or leave it out with --features")
        found = _as_doubles(values)
        assert found is not None  # noqa: S101 - whatever is readable has a value
        bad = np.flatnonzero(~np.isfinite(found))
        row = self.before + int(bad[0]) + 1 if len(bad) else 0
        require(not len(bad), f"{where}, row {row} must hold a finite number")
        return found

    def texts(self, name: str) -> Any:
        """The values of a column as texts: each whole number without a point, whatever the file calls their type."""
        values = self._column(name)
        where = self.where(name)
        _require_present(values, where, self.before)
        try:
            return _as_texts(values)
        except pa.ArrowException as error:
            raise UnveilError(f"{where} holds {values.type}, which has no text") from error

    def values(self, name: str, kind: str) -> Array:
        """A column in the type that the file gives it; a missing value, or one of another kind, is an error."""
        column = self.columns[name]
        require(column.null_count == 0, f"{self.path}: column {name!r} must not have missing values")
        if kind == "text":
            return np.asarray(_as_texts(column).to_pylist(), dtype=np.str_)
        found = kind_of(column.type)
        wanted = "whole numbers" if kind == "whole" else "numbers"
        require(found in ("whole", kind), f"{self.path}: column {name!r} must hold {wanted}, not {column.type}")
        column = column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column
        return np.asarray(column.to_numpy(zero_copy_only=False))


def kind_of(type_: pa.DataType) -> str:
    """What a column of this type is read as."""
    if pa.types.is_integer(type_) or pa.types.is_boolean(type_):
        return "whole"
    return "number" if pa.types.is_floating(type_) or pa.types.is_decimal(type_) else "text"


def number_order(values: Sequence[str]) -> list[str]:
    """Sorted as numbers where all are, else as texts."""
    try:
        numbers = {value: float(value) for value in values}
    except ValueError:
        return sorted(values)
    ordered = not any(map(isnan, numbers.values()))
    return sorted(values, key=lambda value: (numbers[value], value)) if ordered else sorted(values)


def _as_doubles(values: Any) -> Array | None:
    """The values, NaN for those that are missing; None where Arrow does not take them for numbers."""
    try:
        # Whole numbers of more than 53 bits are rounded, as they would be in a text.
        return np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=float)
    except pa.ArrowException:
        return None


def _is_text(values: Any) -> bool:
    return bool(pa.types.is_string(values.type) or pa.types.is_large_string(values.type))


def _as_texts(values: Any) -> Any:
    """Each value as a text."""
    if pa.types.is_boolean(values.type):
        return pc.if_else(values, "True", "False")  # as they stand in most CSV files
    texts = pc.cast(values, pa.string())
    if not pa.types.is_floating(values.type):
        return texts
    doubles = pc.cast(values, pa.float64())
    whole = pc.and_(pc.equal(pc.trunc(doubles), doubles), pc.less(pc.abs(doubles), 2.0**63))
    return pc.if_else(whole, pc.cast(pc.cast(pc.if_else(whole, doubles, 0.0), pa.int64()), pa.string()), texts)


def _truths(values: Any) -> Any:
    """Truth values in words count as 1 and 0, as they do in Parquet."""
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(values))
    return pc.if_else(pc.equal(plain, "true"), "1", pc.if_else(pc.equal(plain, "false"), "0", values))


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
