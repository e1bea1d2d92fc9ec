"""Snakemake's edge of the scaling study."""

from pathlib import Path

from replication.engine.job import job

with job(snakemake.log[0]):
    from tools.bench.growth import draw, scaling
    from tools.bench.report import write
    from tools.bench.sweeps import SWEEPS

    table = scaling(SWEEPS, snakemake.params.seed)
    write(table, draw, Path(snakemake.output.table), map(Path, snakemake.output.pictures))
