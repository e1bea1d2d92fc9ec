"""Snakemake's edge of the bench."""

from pathlib import Path

from replication.engine.job import job

with job(snakemake.log[0]):
    from tools.bench.kernels import KERNELS
    from tools.bench.report import bench, draw, write

    table = bench(KERNELS, snakemake.params.seed)
    write(table, draw, Path(snakemake.output.table), map(Path, snakemake.output.pictures))
