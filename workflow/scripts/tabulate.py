"""Snakemake's edge of tables: the same scores, as text."""

from pathlib import Path

from replication.engine.job import job

with job(snakemake.log[0]):
    from replication.engine.render import tabulate
    from replication.engine.task import Task

    scores, csv, markdown = snakemake.input.scores, snakemake.output.csv, snakemake.output.markdown
    tabulate(Task.of(snakemake.params.task), Path(scores), Path(csv), Path(markdown))
