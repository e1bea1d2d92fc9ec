"""Measuring ours against a reference in one interleaved run: what slows one slows both."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from numpy.random import Generator

Work = Callable[[], object]


@dataclass(frozen=True)
class Kernel:
    """One row of the bench: what is measured, against what, and how many times the reference it may take.

    A `limit` is what no implementation can be far below; a `peer` is what a user would take in our place, as its own
    users call it. With `alike` the reference of a limit is a peer, too, and one measurement gives both rows.
    """

    name: str
    size: str
    reference: str
    target: float
    make: Callable[[Generator], tuple[Work, Work]]
    repeats: int = 7
    kind: Literal["limit", "peer"] = "limit"
    alike: bool = False


@dataclass(frozen=True)
class Took:
    """What a work returns that knows its seconds better than who waits for it."""

    seconds: float


@dataclass(frozen=True)
class Measured:
    """Median seconds of ours and of the reference."""

    ours: float
    reference: float

    @property
    def ratio(self) -> float:
        """How many times the reference's time ours takes."""
        return self.ours / self.reference


def measure(kernel: Kernel, rng: Generator) -> Measured:
    """Run both once to compile and warm them, then alternate."""
    pair = kernel.make(rng)
    for work in pair:
        work()
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(kernel.repeats):
        for work, times in zip(pair, seconds, strict=True):
            start = time.perf_counter()
            took = work()
            times.append(took.seconds if isinstance(took, Took) else time.perf_counter() - start)
    return Measured(*map(statistics.median, seconds))
