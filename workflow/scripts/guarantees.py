"""Snakemake's edge of the table of guarantees."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.experiments.guarantees.table import table
    from unveil.pipeline.task import write_csv

    write_csv(Path(snakemake.output[0]), table(snakemake.params.seed, snakemake.params.settings))
