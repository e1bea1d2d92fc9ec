"""A hash of public rows, the same on every machine and however they are cut into batches."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

#: Numbers that are hashed at a time.
CHUNK = 1 << 20


class Fingerprint:
    """Of a matrix of numbers that comes in batches of rows."""

    def __init__(self) -> None:
        self._digest, self._rows, self._columns = hashlib.sha256(), 0, 0

    def add(self, rows: Any) -> None:
        """The next rows, dense or sparse."""
        self._rows, self._columns = self._rows + rows.shape[0], rows.shape[1]
        step = max(1, CHUNK // max(1, self._columns))
        for start in range(0, rows.shape[0], step):
            some = rows[start : start + step]
            dense = some.toarray() if hasattr(some, "toarray") else some
            # No negative zeros; numbers in the order of bytes that most machines have.
            values = np.ascontiguousarray(dense, dtype="<f8") + 0.0
            self._digest.update(values.reshape(-1).view(np.uint8).data)

    @property
    def text(self) -> str:
        """The hash and the shape of all rows so far."""
        return f"{self._digest.hexdigest()} {self._rows} x {self._columns}"


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
