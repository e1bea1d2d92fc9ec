"""Snakemake's edge of tables: the same scores, as text."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.pipeline.render import tabulate
    from unveil.pipeline.task import Task

    scores, csv, markdown = snakemake.input.scores, snakemake.output.csv, snakemake.output.markdown
    tabulate(Task.of(snakemake.params.task), Path(scores), Path(csv), Path(markdown))
