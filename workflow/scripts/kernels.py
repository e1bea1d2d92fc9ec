"""Compile the taggers' kernels ahead: jobs that start together would do so each, and a learner's time would hold it."""

from pathlib import Path

import numpy as np

from replication.engine.job import job
from replication.engine.storage import save_bytes
from unveil.estimators.counts.features import Windows
from unveil.estimators.counts.tagger import Tagger

#: The ways to sum over a window's tags; the last one calls what the others have compiled.
KINDS = ("exact", "merged", "beam", "auto")


def compile_kernels(kind: str) -> None:
    """Fit taggers to two small sentences, one with few count vectors and one with many, in every way there is."""
    tags = np.arange(10, dtype=np.int16) % 3
    ends = np.array([0, 2, 10])
    words = np.array([f"w{i}" for i in range(10)])
    counts = np.add.reduceat(np.eye(3, dtype=np.int64)[tags], ends[:-1])
    windows = Windows(words, np.arange(10, dtype=np.int32), ends[:-1], ends[1:], ends)
    tagger = Tagger("marginal", kind, beam=2, budget=10, passes=1, evaluate_at=(1,)).fit(windows, counts)
    tagger.posterior(windows, counts)
    if kind == "exact":
        Tagger("supervised", passes=1).fit(windows, tags)
        for step1 in ("exact", "sgd", "sgd_first"):
            Tagger("moments", step1=step1, passes=1).fit(windows, counts)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        for kind in KINDS:
            compile_kernels(kind)
        save_bytes(Path(snakemake.output[0]), "".join(f"tagger {kind}\n" for kind in KINDS).encode())
