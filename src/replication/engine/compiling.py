"""Compile the tagger's kernels ahead of the fits that need them: `python -m replication.engine.compiling exact`.

Processes that start together would compile them each, and the first fit's time would hold the compiler's.
"""

from __future__ import annotations

import sys

import numpy as np

from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import Tagger
from unveil.types import Array


def compile_kernels(kind: str) -> None:
    """Fit taggers to two small sentences in every way that has kernels of its own."""
    windows, tags, counts = _text()
    tagger = Tagger("marginal", kind, beam=2, budget=10, passes=1, evaluate_at=(1,)).fit(windows, counts)
    tagger.posterior(windows, counts)
    if kind == "exact":
        Tagger("supervised", passes=1).fit(windows, tags)
        for step1 in ("exact", "sgd", "sgd_first"):
            Tagger("moments", step1=step1, passes=1).fit(windows, counts)


def _text() -> tuple[Windows, Array, Array]:
    """Two windows over as many sentences, one with few count vectors and one with many."""
    tags = np.arange(10, dtype=np.int16) % 3
    ends = np.array([0, 2, 10])
    words = np.array([f"w{i}" for i in range(10)])
    counts = np.add.reduceat(np.eye(3, dtype=np.int64)[tags], ends[:-1])
    return Windows(words, np.arange(10, dtype=np.int32), ends[:-1], ends[1:], ends), tags, counts


if __name__ == "__main__":
    compile_kernels(sys.argv[1])
