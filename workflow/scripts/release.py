"""Snakemake's edge of the stage `release`."""

from pathlib import Path

from replication.engine.job import job

with job(snakemake.log[0]):
    from replication.engine.release import release
    from replication.engine.task import Task

    release(
        Task.of(snakemake.params.task),
        snakemake.params.settings,
        snakemake.input.private,
        Path(snakemake.output[0]),
    )
