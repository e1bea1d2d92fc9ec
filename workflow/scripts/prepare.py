"""Snakemake's edge of the stage `prepare`."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.pipeline.prepare import prepare

    prepare(
        snakemake.params.dataset, Path(snakemake.input[0]).parent, Path(snakemake.output.provenance).parent
    )
