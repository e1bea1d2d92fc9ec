"""Snakemake's edge of the stage `render`."""

from pathlib import Path

from replication.engine.job import job

with job(snakemake.log[0]):
    from replication.engine.render import render
    from replication.engine.task import Task

    scores, metadata = Path(snakemake.input.scores), Path(snakemake.input.metadata)
    render(Task.of(snakemake.params.task), scores, metadata, [Path(path) for path in snakemake.output])
