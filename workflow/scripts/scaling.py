"""Snakemake's edge of the scaling study."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.bench.growth import write
    from unveil.bench.sweeps import SWEEPS

    write(SWEEPS, snakemake.params.seed, Path(snakemake.output.table), map(Path, snakemake.output.pictures))
