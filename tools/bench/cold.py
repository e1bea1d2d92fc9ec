"""What a new process waits for: its first `CountTagger().fit`, against its second."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from numpy.random import Generator

from tools.bench.measure import Kernel, Took, Work

#: What a first fit may take beyond a warm one.
ALLOWANCE = 3.0
#: Fits 100 windows twice; prints the seconds of either.
PROGRAM = """
import time
from numpy.random import default_rng
from unveil import CountTagger, RegionCounts
rng = default_rng(0)
words = [[f"word{n}" for n in rng.integers(0, 300, 8)] for _ in range(100)]
tags = [[int(word[4:]) % 7 for word in window] for window in words]
counts = [[window.count(tag) for tag in range(7)] for window in tags]
for _ in range(2):
    start = time.perf_counter()
    CountTagger(random_state=0).fit(words, counts)
    print(time.perf_counter() - start)
"""


def cold_start(compiled: bool) -> Kernel:
    """The first fit of a new process, with kernels that an earlier process compiled or without, against its second."""

    def make(rng: Generator) -> tuple[Work, Work]:  # noqa: ARG001 - nothing is drawn here
        folder = tempfile.TemporaryDirectory()
        seen: list[float] = []

        def first() -> Took:
            if compiled:
                seen[:] = fits(folder.name)
            else:
                with tempfile.TemporaryDirectory() as empty:
                    seen[:] = fits(empty)
            return Took(seen[0])

        return first, lambda: Took(seen[1] + ALLOWANCE)

    size = "100 windows, kernels " + ("cached" if compiled else "never compiled before")
    repeats = 3 if compiled else 1
    return Kernel("cold_start", size, f"the same, warm, and {ALLOWANCE:g} s", 1, make, repeats=repeats)


def fits(cache: str) -> list[float]:
    """The seconds of two fits in a new process, whose compiled kernels are kept in a folder."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    return [float(line) for line in done.stdout.split()]


COLD = (cold_start(compiled=True), cold_start(compiled=False))
