"""Snakemake's edge of the table of guarantees."""

from pathlib import Path

from replication.engine.job import job

if "snakemake" in globals():
    with job(snakemake.log[0]):
        from replication.engine.task import write_csv
        from replication.judging.guarantees.table import table

        write_csv(Path(snakemake.output[0]), table(snakemake.params.seed, snakemake.params.settings))
