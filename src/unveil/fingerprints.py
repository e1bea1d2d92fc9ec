"""Hashes, the same on every machine: of public rows however they are cut into batches, and of releases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from unveil.errors import require
from unveil.types import Array, Arrays

#: Numbers that are looked at a time where they must be converted.
CHUNK = 1 << 20


class Fingerprint:
    """Of a matrix of numbers that comes in batches of rows, and in shards, which `merge`.

    It tells rows apart that differ by accident; it is no secure hash.
    """

    def __init__(self) -> None:
        self.rows, self.columns, self.state = 0, 0, np.zeros(2, dtype=np.uint64)

    def add(self, rows: Any) -> None:
        """The next rows, dense or sparse."""
        from unveil.numerics.row_hashes import hash_rows, weights

        self.rows, self.columns = self.rows + rows.shape[0], rows.shape[1]
        step, columns = max(1, CHUNK // max(1, self.columns)), weights(self.columns)
        for start in range(0, rows.shape[0], step):
            some = rows[start : start + step]
            dense = np.asarray(some.toarray() if hasattr(some, "toarray") else some)
            kind = np.float32 if dense.dtype == np.float32 else np.float64
            hash_rows(np.ascontiguousarray(dense, dtype=kind), columns, self.state)

    def merge(self, other: Fingerprint) -> Fingerprint:
        """Of these rows, and then those of another."""
        from unveil.numerics.row_hashes import BASES, WORD

        both = Fingerprint()
        both.rows, both.columns = self.rows + other.rows, self.columns or other.columns
        parts = zip(BASES, self.state, other.state, strict=True)
        values = [(int(mine) * pow(base, other.rows, WORD) + int(theirs)) % WORD for base, mine, theirs in parts]
        both.state = np.array(values, dtype=np.uint64)
        return both

    @property
    def text(self) -> str:
        """The hash and the shape of all rows so far."""
        return f"{''.join(f'{int(part):016x}' for part in self.state)} {self.rows} x {self.columns}"


def fingerprint(rows: Any) -> str:
    """Of a whole matrix, dense or sparse (CSR)."""
    taken = Fingerprint()
    taken.add(rows)
    return taken.text


def text_fingerprint(sentences: Iterable[Sequence[str]]) -> str:
    """Of sentences, each a sequence of words."""
    digest, number = hashlib.sha256(), 0
    for words in sentences:
        # JSON keeps apart what would read the same when put together.
        digest.update(json.dumps(list(words)).encode())
        number += 1
    return f"{digest.hexdigest()} {number} sentences"


def checksum(header: Mapping[str, Any], arrays: Arrays) -> str:
    """A hash of all of it, the same on every machine."""
    # json writes the shortest digits that read back as the same double, so the text stands for the exact numbers.
    digest = hashlib.sha256(json.dumps(describe(header, arrays), sort_keys=True).encode())
    for content in contents(arrays):
        digest.update(content)
    return digest.hexdigest()


def jsonable(value: Any) -> Any:
    """Texts, finite numbers, truth values, nothing, lists and mappings of these, as JSON has them; else an error."""
    if isinstance(value, Mapping):
        return {str(name): jsonable(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(entry) for entry in value]
    if isinstance(value, np.generic):
        return jsonable(value.item())
    finite = value is None or isinstance(value, (str, bool, int)) or (isinstance(value, float) and isfinite(value))
    require(finite, f"parameters must hold texts and finite numbers, not {value!r}")
    return value


def describe(header: Mapping[str, Any], arrays: Arrays) -> dict[str, Any]:
    """A header with the types and shapes of the arrays that follow it."""
    kinds = {
        name: {"type": _plain(array).dtype.str, "shape": list(array.shape)} for name, array in sorted(arrays.items())
    }
    return {**header, "arrays": kinds}


def contents(arrays: Arrays) -> list[memoryview]:
    """The bytes of the arrays, in the order of the header."""
    return [_plain(array).reshape(-1).view(np.uint8).data for _, array in sorted(arrays.items())]


def _plain(array: Array) -> Array:
    """Little-endian and in the order of C: the same bytes on every machine."""
    values = np.asarray(array)
    require(values.dtype.kind in "biuf", f"a file of arrays holds numbers, not {values.dtype}")
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).reshape(values.shape)
