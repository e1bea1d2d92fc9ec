"""Stage `release`: the owner veils the private fields. What is written is exactly what leaves the owner."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from replication.engine.job import job
from replication.engine.task import Task, load_fields


def release(task: Task, settings: Any, private: Iterable[str], output: Path) -> None:
    """Run the figure's owner on every trial."""
    fields = load_fields(private)
    stage = task.function("release")
    task.run_trials("release", lambda trial: stage(fields, trial, settings), output)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        task, settings = Task.of(snakemake.params.task), snakemake.params.settings
        release(task, settings, snakemake.input.private, Path(snakemake.output[0]))
