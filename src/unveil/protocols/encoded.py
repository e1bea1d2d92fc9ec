"""A table as a protocol reads it: features and labels by what is public about its columns, a batch at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from unveil.cells import number_order
from unveil.errors import require
from unveil.protocols.columns import Column, Encoding, find_classes
from unveil.protocols.sheets import Sheet
from unveil.types import Array

#: Told how many values of each column lay outside what is public.
Outside: TypeAlias = "Counter[str] | None"
#: Columns of the same length by name.
Piece: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class EncodedTable:
    """A sheet, and how its columns become features and a label; everything is read anew each time."""

    sheet: Sheet
    encoding: Encoding
    #: Told how many values of features lay outside what is public, when a learner's table is read.
    outside: Counter[str] = field(default_factory=Counter, compare=False)

    def with_label(self, label: Column) -> EncodedTable:
        """The same with more known of the label."""
        return replace(self, encoding=replace(self.encoding, label=label))

    def with_classes(self) -> EncodedTable:
        """The same with the names of the classes: the public ones, or those that the label's column holds."""
        return self.with_label(find_classes(self.sheet, self.encoding.label))

    def with_two_classes(self) -> EncodedTable:
        """The same, of two classes."""
        found = self.with_classes()
        classes, name = found.encoding.classes, self.encoding.label.name
        many = f"{self.sheet.path}, column {name!r} must hold two classes, not {len(classes)}: {', '.join(classes[:5])}"
        require(len(classes) == 2, many)
        return found

    def require_public(self, protocol: str) -> None:
        """Private features need ranges whatever they hold: a rule that looked at them would tell about them."""
        bare = [column.name for column in self.encoding.features if column.range is None and column.categories is None]
        more = f" and {len(bare) - 1} more" if len(bare) > 1 else ""
        name = bare[0] if bare else ""
        rule = f"column {name!r}{more}: {protocol} needs the public range or categories of every feature"
        require(not bare, f"{rule}; give --range {name}=LOW:HIGH or a --schema (unveil schema), or choose --features")

    def read_labelled(self, outside: Outside = None) -> Iterator[tuple[Array, Array]]:
        """Features, and the name of the class of each row."""
        label = self.encoding.label.name
        for batch in self.sheet.batches([*self.encoding.names, label]):
            own = np.asarray(batch.texts(label).to_pylist())
            yield self.encoding.matrix(batch, outside), own

    def read_targets(self, outside: Outside = None) -> Iterator[tuple[Array, Array]]:
        """Features, and the share of its range that is the label of each row."""
        label = self.encoding.label
        for batch in self.sheet.batches([*self.encoding.names, label.name]):
            shares, out = label.shares(batch)
            if outside is not None:
                outside[label.name] += int(out.sum())
            yield self.encoding.matrix(batch, outside), shares

    def count_classes(self) -> tuple[list[str], Array, Counter[str]]:
        """The sets by name, in order, and how many rows of each class they have; features are read and checked, too."""
        sets, label = str(self.encoding.sets), self.encoding.label
        found: Counter[tuple[str, int]] = Counter()
        outside: Counter[str] = Counter()
        for batch in self.sheet.batches([sets, label.name, *self.encoding.names]):
            self.encoding.matrix(batch, outside)
            found.update(zip(batch.texts(sets).to_pylist(), label.codes(batch).tolist(), strict=True))
        names = number_order(list({name for name, _ in found}))
        classes = range(len(self.encoding.classes))
        return names, np.array([[found[name, code] for code in classes] for name in names]), outside

    def read_features(self, extra: Sequence[str] = ()) -> Iterator[tuple[Piece, Array]]:
        """Texts of the `extra` columns as they stand, and features, a batch at a time."""
        for batch in self.sheet.batches([*self.encoding.names, *extra]):
            yield {name: batch.texts(name).to_pylist() for name in extra}, self.encoding.matrix(batch, self.outside)

    def read_texts(self, names: Sequence[str]) -> Iterator[Piece]:
        """Columns as they stand."""
        for batch in self.sheet.batches(list(dict.fromkeys(names))):
            yield {name: batch.texts(name).to_pylist() for name in names}

    def read_bags(self) -> tuple[list[str], list[Array]]:
        """The sets by name, in order, and the features of the rows of each."""
        sets = str(self.encoding.sets)
        labels, parts = zip(*((own[sets], X) for own, X in self.read_features([sets])), strict=True)
        of, points = np.concatenate(labels), np.concatenate(parts)
        names = number_order(np.unique(of).tolist())
        return names, [points[of == name] for name in names]

    def read_runs(self, names: Sequence[str]) -> list[list[list[str]]]:
        """Runs of rows in the same set, a sentence for example: the texts of each of these columns, run by run."""
        sets = str(self.encoding.sets)
        seen: list[str] = []
        found: list[list[list[str]]] = []
        for piece in self.read_texts([sets, *names]):
            for row, group in enumerate(piece[sets]):
                if not seen or seen[-1] != group:
                    seen.append(group)
                    found.append([[] for _ in names])
                for column, name in zip(found[-1], names, strict=True):
                    column.append(piece[name][row])
        again = next((name for name, times in Counter(seen).items() if times > 1), None)
        require(again is None, f"{self.sheet.path}: the rows of {sets} {again!r} must follow each other")
        return found
