"""From named columns to features: ranges and categories that are public, so that both sides make the same numbers.

A number in a public range becomes a share of it, in [0, 1]; what lies outside is clamped, so that nobody who sees the
outcome learns that it did. A text becomes one feature for each of a public list of categories; one that is not in the
list becomes none of them. Only the owner is told how often that happened.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unveil.cells import Batch, number_order
from unveil.errors import UnveilError, is_real, is_whole, require
from unveil.protocols.sheets import Sheet
from unveil.types import Array

#: Labels of more kinds are numbers by mistake.
MOST_CLASSES = 1000


@dataclass(frozen=True)
class Column:
    """What is public about one column: a range, or a list of categories, or neither."""

    name: str
    range: tuple[float, float] | None = None
    categories: tuple[str, ...] | None = None

    @property
    def width(self) -> int:
        """How many features it becomes."""
        return 1 if self.categories is None else len(self.categories)

    def describe(self) -> dict[str, Any]:
        """As it stands in a release."""
        known = {"range": self.range, "categories": self.categories}
        return {"column": self.name, **{what: list(value) for what, value in known.items() if value is not None}}

    def codes(self, batch: Batch) -> Array:
        """The number of each row's category, −1 for one that is not in the list."""
        places = pc.index_in(batch.texts(self.name), value_set=pa.array(self.categories, pa.string()))
        return np.asarray(pc.fill_null(places, -1).to_numpy(zero_copy_only=False))

    def shares(self, batch: Batch) -> tuple[Array, Array]:
        """The values as shares of the range, and which of them lay outside; without a range as they are."""
        values = batch.numbers(self.name)
        if self.range is None:
            return values, np.abs(values) > 1
        low, high = self.range
        shares = (values - low) / (high - low)
        return np.clip(shares, 0.0, 1.0), (values < low) | (values > high)


@dataclass(frozen=True)
class Encoding:
    """How columns become features, and a label a class or a share; what a release carries to its learners."""

    features: tuple[Column, ...]
    label: Column
    sets: str | None = None
    #: Into how many states a range is cut, evenly; 0 for shares as they are. A category has a bit for each name.
    states: int = 0
    #: Whether features without a range must lie in [-1, 1]; else they are as the release was made from them.
    scaled: bool = True

    @property
    def names(self) -> list[str]:
        """The columns of the features."""
        return [column.name for column in self.features]

    @property
    def width(self) -> int:
        """How many features there are."""
        return sum(column.width for column in self.features)

    @property
    def widths(self) -> list[int]:
        """How many features each column makes."""
        return [column.width for column in self.features]

    @property
    def classes(self) -> tuple[str, ...]:
        """What the classes of the label are called, in order."""
        return self.label.categories or ()

    def describe(self) -> dict[str, Any]:
        """As it stands in a release."""
        features = [column.describe() for column in self.features]
        more = {} if self.scaled else {"scaled": False}
        return {"features": features, "label": self.label.describe(), "sets": self.sets, "states": self.states, **more}

    @classmethod
    def of(cls, described: Any) -> Encoding:
        """From what `describe` made, in a file that somebody else may have written."""
        try:
            features = tuple(_column(entry) for entry in described["features"])
            label, sets, states = _column(described["label"]), described["sets"], described["states"]
            known = (sets is None or isinstance(sets, str)) and is_whole(states) and 0 <= states <= 256
            scaled = described.get("scaled", True)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnveilError("the file must say of each column its name, and its range or categories") from error
        require(known, "the file must say which column names the sets, and how many states a range has")
        require(features, "the file must name the columns of its features")
        require(isinstance(scaled, bool), "the file must say whether its features are scaled")
        return cls(features, label, sets, states, scaled)

    def matrix(self, batch: Batch, outside: Counter[str] | None = None) -> Array:
        """(rows, features); how many values lay outside the ranges and lists is added to `outside`."""
        parts, count = [], outside if outside is not None else Counter()
        for column in self.features:
            if column.categories is None:
                values, out = column.shares(batch)
                count[column.name] += int(out.sum())
                require(
                    column.range is not None or not self.scaled or not out.any(),
                    f"{batch.where(column.name)} holds {values[out][0] if out.any() else 0:g}: features must be "
                    f"scaled to [0, 1] by a public range; give --range {column.name}=LOW:HIGH or a --schema",
                )
                parts.append(np.rint(values * (self.states - 1))[:, None] if self.states else values[:, None])
            else:
                codes = column.codes(batch)
                count[column.name] += int((codes < 0).sum())
                parts.append((codes[:, None] == np.arange(column.width)).astype(float))
        return np.hstack(parts)


def read_schema(path: Path | None, ranges: Iterable[str]) -> dict[str, Column]:
    """What both sides know beforehand: from a schema file, and from ranges given as COLUMN=LOW:HIGH."""
    columns = {} if path is None else _from_file(path)
    for text in ranges:
        name, _, ends = text.rpartition("=")
        low, _, high = ends.partition(":")
        try:
            column = _column({"column": name, "range": [float(low), float(high)]})
        except (ValueError, TypeError) as error:
            raise UnveilError(f"--range must be COLUMN=LOW:HIGH with LOW below HIGH, not {text!r}") from error
        require(name, f"--range must be COLUMN=LOW:HIGH, not {text!r}")
        require(name not in columns, f"--range {text}: the range of {name!r} is given twice")
        columns[name] = column
    return columns


def find_classes(sheet: Sheet, label: Column) -> Column:
    """The label with the names of its classes: the public list, or else what the column holds."""
    found: Counter[str] = Counter()
    for batch in sheet.batches([label.name]):
        values = batch.texts(label.name)
        found.update({row["values"]: row["counts"] for row in pc.value_counts(values).to_pylist()})
        if label.categories is not None:
            unknown = [name for name in found if name not in label.categories]
            row = batch.before + (pc.index(values, unknown[0]).as_py() if unknown else 0) + 1
            said = f"{sheet.path}, column {label.name!r}, row {row} holds a class that the schema does not list"
            require(not unknown, f"{said}, {unknown[0] if unknown else ''!r}: add it there, or mend the row")
        few = (
            f"{sheet.path}, column {label.name!r} holds more than {MOST_CLASSES} different labels: numbers, not classes"
        )
        require(len(found) <= MOST_CLASSES, few)
    if label.categories is None:
        hint = f'{{"columns": {{"{label.name}": {{"categories": ["…", "…"]}}}}}}'
        only = f"{sheet.path}, column {label.name!r} holds the label {next(iter(found))!r} only"
        require(len(found) > 1, f"{only}: list all classes in a schema file, {hint}")
        return Column(label.name, categories=tuple(number_order(list(found))))
    return label


def _from_file(path: Path) -> dict[str, Column]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UnveilError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UnveilError(f"{path} must be a schema in JSON: {error}") from error
    rule = '{"columns": {"age": {"range": [0, 120]}, "city": {"categories": ["A", "B"]}}}'
    known = isinstance(content, dict) and set(content) == {"columns"} and isinstance(content["columns"], dict)
    require(known, f"{path} must be a schema like {rule}")
    columns, bad = {}, list[str]()
    for name, entry in content["columns"].items():
        try:
            require(isinstance(entry, dict) and len(entry) == 1, "one of the two")
            columns[name] = _column({"column": name, **entry})
        except (ValueError, TypeError, KeyError):
            gap = isinstance(entry, dict) and list(entry.values()) in ([[None, None]], [[]])
            rule = "what is left open" if gap else "a range [low, high] or a list of different categories"
            bad.append(f"{name!r} {rule}")
    require(not bad, f"{path} must give {', '.join(bad)}")
    return columns


def _column(entry: Mapping[str, Any]) -> Column:
    """One column from JSON; ValueError, KeyError or TypeError where it is none."""
    unknown = set(entry) - {"column", "range", "categories"}
    require(not unknown and isinstance(entry["column"], str), "a column has a name, and a range or categories")
    ends, listed = entry.get("range"), entry.get("categories")
    require(ends is None or listed is None, "a range or categories")
    if ends is not None:
        low, high = ends
        require(is_real(low) and is_real(high) and isfinite(low) and isfinite(high) and low < high, "a range")
        require(abs(low) <= 1e100 and abs(high) <= 1e100 and high - low >= 1e-100, "a range")
        return Column(entry["column"], range=(float(low), float(high)))
    if listed is not None:
        plain = [str(name) if is_real(name) else name for name in listed] if isinstance(listed, Sequence) else []
        ok = not isinstance(listed, str) and plain and all(isinstance(name, str) for name in plain)
        require(ok and len(set(plain)) == len(plain), "different categories")
        return Column(entry["column"], categories=tuple(plain))
    return Column(entry["column"])
