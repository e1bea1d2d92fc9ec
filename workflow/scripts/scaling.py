"""Snakemake's edge of the scaling study."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.bench.growth import draw, scaling
    from unveil.bench.report import write
    from unveil.bench.sweeps import SWEEPS

    table = scaling(SWEEPS, snakemake.params.seed)
    write(table, draw, Path(snakemake.output.table), map(Path, snakemake.output.pictures))
