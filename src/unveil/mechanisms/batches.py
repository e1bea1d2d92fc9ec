"""Records that come in batches, cut anew, so that what is drawn for a record does not depend on how they came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.types import Array, as_array, require_finite

#: Features, and a target or label for each row of them.
Pair: TypeAlias = tuple[ArrayLike, ArrayLike]
#: Whole, or in batches that are read once, one after the other.
Data: TypeAlias = Pair | Iterable[Pair]
#: Numbers of features that are handled at a time where nothing else is said.
NUMBERS = 1 << 20


def cut_batches(data: Data, rows: int = 0, look: bool = True) -> Iterator[tuple[Array, Array]]:
    """Features (rows, d) and target (rows,), so many `rows` at a time and the rest at the end; nothing is held back.

    By default so many that there are about a million numbers. `data` is one pair or an iterable of pairs, such as
    `Table.pairs` and generators are. Pieces of large batches are views; only what spans two batches is copied.
    Every number is looked at here, so that no mechanism has to, but for a reader that asks not to `look` since its own
    sums do.
    """
    alone = isinstance(data, tuple)
    waiting: list[tuple[Array, Array]] = []
    held, columns = 0, 0
    require(isinstance(data, Iterable), "data must be a pair (X, y), or an iterable of such pairs")
    for pair in cast(Iterable[Pair], [data] if alone else data):
        require(isinstance(pair, tuple | list) and len(pair) == 2, "data must be a pair (X, y), or one a batch")
        features, target = _check_pair(*pair)
        require(columns in (0, features.shape[1]), "X must have as many columns in every batch")
        columns, start = features.shape[1], 0
        # A power of two, as batches often are: then they need no copies.
        rows = rows or 1 << (max(1, NUMBERS // columns).bit_length() - 1)
        while held + len(features) - start >= rows:
            stop = start + rows - held
            waiting.append((features[start:stop], target[start:stop]))
            yield _join(waiting, look)
            waiting, held, start = [], 0, stop
        rest = features[start:], target[start:]
        if len(rest[1]):
            # A copy: whoever reads a file may use the same memory for the next batch.
            waiting.append(rest if alone else (rest[0].copy(), rest[1].copy()))
            held += len(rest[1])
    if waiting:
        yield _join(waiting, look)


def cut_states(data: Array | Iterable[ArrayLike], rows: int) -> Iterator[Array]:
    """One array, or an iterable of arrays, in pieces of at most so many `rows`."""
    for batch in [data] if isinstance(data, np.ndarray) else data:
        values = as_array(batch, "data")
        require(values.ndim in (1, 2), "data must be an array of states, or an iterable of such arrays")
        for start in range(0, len(values), rows):
            yield values[start : start + rows]


def _check_pair(X: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
    features, target = as_array(X, "X"), as_array(y, "y")
    require(features.ndim == 2 and features.shape[1] > 0, "X must have shape (n, d)")
    require(features.dtype.kind in "fiub", "X must hold real numbers")
    require(
        target.shape == (len(features),), f"y must have one target per row of X: {len(features)}, not {target.shape}"
    )
    return features, target


def _join(pieces: list[tuple[Array, Array]], look: bool) -> tuple[Array, Array]:
    if len(pieces) == 1:
        features, target = pieces[0]
    else:
        features, target = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
    if look:
        require_finite(features, "X")
    require_finite(target, "y")
    return features, target
