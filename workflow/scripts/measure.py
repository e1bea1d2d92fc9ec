"""The bench and the scaling study: what is measured, as a table."""

from importlib import import_module
from pathlib import Path

from replication.engine.job import job
from replication.engine.task import write_csv


def measure(module: str, seed: int, output: Path) -> None:
    """Measure all that `module` lists."""
    write_csv(output, import_module(module).measured(seed))


if "snakemake" in globals():
    with job(snakemake.log[0]):
        measure(snakemake.params.module, snakemake.params.seed, Path(snakemake.output[0]))
