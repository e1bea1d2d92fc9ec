"""Measuring ours against a reference in one interleaved run: what slows one slows both."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from numpy.random import Generator

from replication.randomness import generator

Work = Callable[[], object]
Pair = tuple[Work, Work]
COLUMNS = ["kernel", "size", "ours_s", "reference", "reference_s", "ratio", "target", "met", "kind"]
#: What a peer of ours must not be faster than.
AHEAD = 1.0


@dataclass(frozen=True)
class Row:
    """What is measured, at which size, against what, and how many times the reference it may take.

    A `limit` is what no implementation can be far below; a `peer` is what a user would take in our place, as its own
    users call it, and may not be ahead. A reference that is both gives two rows of one measurement. `pair` makes the
    work of ours and of the reference on one input, from a generator and what is given, which `size` names in braces.
    """

    kernel: str
    size: str
    reference: str
    pair: Callable[..., Pair]
    given: Mapping[str, Any]
    target: float = AHEAD
    repeats: int = 7
    kinds: tuple[str, ...] = ("limit",)


@dataclass(frozen=True)
class Took:
    """What a work returns that knows its seconds better than who waits for it."""

    seconds: float


def measure(row: Row, rng: Generator) -> tuple[float, float]:
    """Median seconds of ours and of the reference: both run once to compile and warm them, then in turn."""
    pair = row.pair(rng, **row.given)
    for work in pair:
        work()
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(row.repeats):
        for work, times in zip(pair, seconds, strict=True):
            start = time.perf_counter()
            took = work()
            times.append(took.seconds if isinstance(took, Took) else time.perf_counter() - start)
    return statistics.median(seconds[0]), statistics.median(seconds[1])


def measure_all(rows: Iterable[Row], seed: int) -> pd.DataFrame:
    """The bench; a row whose reference is not installed is left out, with a line that says so."""
    found = []
    for row in rows:
        size = row.size.format(**row.given)
        try:
            ours, reference = measure(row, generator(seed, "bench", row.kernel, size, row.reference))
        except ImportError as error:
            note = f"{row.kernel}: no row against {row.reference}, since {error.name} is not installed"
            print(f"{note}: `pip install unveil[peers]`", file=sys.stderr, flush=True)  # noqa: T201 - into the log
            continue
        ratio = ours / reference
        for kind in row.kinds:
            target = row.target if kind == "limit" else AHEAD
            found.append([row.kernel, size, ours, row.reference, reference, ratio, target, ratio <= target, kind])
    return pd.DataFrame(found, columns=COLUMNS)
