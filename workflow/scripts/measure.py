"""Tables that are not scores: the guarantees, the bench and the scaling study."""

from importlib import import_module
from pathlib import Path
from typing import Any

from replication.engine.job import job
from replication.engine.task import write_csv


def measure(module: str, function: str, arguments: tuple[Any, ...], output: Path) -> None:
    """Write the table that a function of `module` makes."""
    write_csv(output, getattr(import_module(module), function)(*arguments))


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.params
        measure(given.module, given.function, (given.seed, *given.get("settings", ())), Path(snakemake.output[0]))
