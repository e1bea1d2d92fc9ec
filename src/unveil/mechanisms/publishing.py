"""What every mechanism's `publish` needs: where noise comes from, and data that come whole or in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import SimulationOnly, require
from unveil.mechanisms.entropy import RandomBytes, SecureGenerator
from unveil.types import Array, as_array

#: Features, and what belongs to each row of them.
Pair: TypeAlias = tuple[ArrayLike, ArrayLike]
#: Whole, or in batches that are read once, one after the other.
Data: TypeAlias = Pair | Iterable[Pair]


def simulated(rng: object, mechanism: str) -> Generator:
    """The generator; without one a release would be real, which is not what a mechanism with float noise is for."""
    if not isinstance(rng, Generator):
        raise SimulationOnly(
            f"rng must be a numpy Generator: {mechanism} draws in floating point and is for simulation only "
            "(docs/safe_noise.md)"
        )
    return rng


def randomness_of(source: RandomBytes) -> str:
    """What a release says of its noise: only the operating system's cannot be drawn again."""
    return "os" if isinstance(source, SecureGenerator) else "seeded"


#: Numbers that are handled at a time where nothing else is said.
NUMBERS = 1 << 20


def pairs(data: Data, rows: int | None = None) -> Iterator[tuple[Array, Array]]:
    """The pairs of arrays that data come in, cut into pieces of so many rows at most; none is empty."""
    require(isinstance(data, Iterable), "data must be a pair (X, y), or an iterable of such pairs")
    width = None
    for batch in [cast(Pair, data)] if isinstance(data, tuple) else data:
        require(isinstance(batch, tuple | list) and len(batch) == 2, "data must be a pair (X, y), or one a batch")
        X, y = as_array(batch[0], "X"), as_array(batch[1], "y")
        require(X.ndim == 2 and X.shape[1] > 0, "X must have shape (n, d)")
        require(X.dtype.kind in "fiub", "X must hold real numbers")
        require(y.shape == (len(X),), f"y must have shape ({len(X)},), one entry a row of X, got {y.shape}")
        require(width in (None, X.shape[1]), "X must have as many columns in every batch")
        width, step = X.shape[1], rows or max(1, NUMBERS // X.shape[1])
        for start in range(0, len(X), step):
            yield X[start : start + step], y[start : start + step]


def checked_classes(classes: Sequence[Any]) -> tuple[Any, Any]:
    """The public names of the two classes, the negative one first, as texts, numbers or truth values."""
    require(
        isinstance(classes, Sequence | np.ndarray) and not isinstance(classes, str | bytes) and len(classes) == 2,
        "classes must be two: the names of the negative and of the positive class",
    )
    first, second = (name.item() if isinstance(name, np.generic) else name for name in classes)
    plain = all(isinstance(name, str | int | float) for name in (first, second))
    require(plain and first != second and first == first, "classes must be two different texts or numbers")
    return first, second


def positives(y: Array, classes: tuple[Any, Any]) -> Array:
    """Which labels are of the second class; others than the two are errors.

    One class only is no error: whether a release happens must not depend on the labels.
    """
    second = np.asarray(y == classes[1])
    known = second | np.asarray(y == classes[0])
    # A truth value equals 0 or 1, and a text no number: numpy compares as Python does, or not at all.
    names = "the labels -1 and +1" if classes == (-1, 1) else f"{classes[0]!r} and {classes[1]!r}"
    require(known.shape == y.shape and bool(known.all()), f"y must hold {names} only")
    return second
