"""Snakemake's edge of the bench."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.bench.kernels import KERNELS
    from unveil.bench.report import write

    write(KERNELS, snakemake.params.seed, Path(snakemake.output.table), map(Path, snakemake.output.pictures))
