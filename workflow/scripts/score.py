"""Snakemake's edge of the stage `score`."""

from pathlib import Path

from replication.engine.job import job

with job(snakemake.log[0]):
    from replication.engine.score import score
    from replication.engine.task import Task

    score(
        Task.of(snakemake.params.task),
        snakemake.params.settings,
        snakemake.input.learned,
        snakemake.input.truth,
        snakemake.input.provenance,
        (Path(snakemake.output.scores), Path(snakemake.output.metadata), Path(snakemake.output.timings)),
    )
