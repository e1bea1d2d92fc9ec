"""A hash of public rows, the same on every machine and however they are cut into batches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

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


def is_fingerprint_of(rows: Any, text: str) -> bool:
    """Whether `text` is the fingerprint of a matrix, of whatever format the release was."""
    if " " in text:
        return fingerprint(rows) == text
    return earlier_fingerprint(rows.toarray() if hasattr(rows, "toarray") else rows) == text


def earlier_fingerprint(rows: Any) -> str:
    """What files of earlier formats hold: the shape comes first, and nothing is said in the clear."""
    values = np.ascontiguousarray(rows, dtype="<f8") + 0.0
    return hashlib.sha256(f"{values.shape}".encode() + values.tobytes()).hexdigest()


def text_fingerprint(sentences: Iterable[Sequence[str]]) -> str:
    """Of sentences, each a sequence of words."""
    digest, number = hashlib.sha256(), 0
    for words in sentences:
        # JSON keeps apart what would read the same when put together.
        digest.update(json.dumps(list(words)).encode())
        number += 1
    return f"{digest.hexdigest()} {number} sentences"
