"""Stage `release`: the owner veils the private fields. What is written is exactly what leaves the owner.

What is exact beside noised values has a file of its own, so that no file says what its own noise hides.
"""

from collections.abc import Iterable
from pathlib import Path

from replication.arrays import split_exact
from replication.engine.job import job
from replication.engine.storage import save_trials
from replication.engine.task import Task, load_fields


def release(task: Task, private: Iterable[str], outputs: Iterable[str]) -> None:
    """Run the figure's owner on every trial."""
    fields = load_fields(private)
    stage = task.function("release")
    found = task.run_trials("release", lambda trial: stage(fields, trial, task.settings))
    for output, part in zip(outputs, zip(*map(split_exact, found.values()), strict=True), strict=True):
        save_trials(Path(output), dict(zip(found, part, strict=True)))


if "snakemake" in globals():
    with job(snakemake.log[0]):
        release(snakemake.params.task, snakemake.input.private, snakemake.output)
