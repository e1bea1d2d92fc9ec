"""Snakemake's edge of the stage `release`."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.pipeline.release import release
    from unveil.pipeline.task import Task

    release(
        Task.of(snakemake.params.task),
        snakemake.params.settings,
        snakemake.input.private,
        Path(snakemake.output[0]),
    )
