"""Tables that are not scores: the guarantees, and the bench."""

from importlib import import_module
from pathlib import Path

from replication.engine.job import job
from replication.engine.task import write_csv

if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.params
        table = getattr(import_module(given.module), given.function)
        seed = given.get("seed")
        write_csv(Path(snakemake.output[0]), table(*(() if seed is None else (seed,)), *given.get("settings", ())))
