"""Tables that are no figure's scores: the claims, the guarantees, the multiverse, the bench."""

from importlib import import_module
from pathlib import Path

from replication.engine.job import job
from replication.engine.task import write_csv

if "snakemake" in globals():
    with job(snakemake.log[0]):
        module, _, function = snakemake.params.function.partition(":")
        made = getattr(import_module(module), function)(*snakemake.params.given)
        for path, table in zip(snakemake.output, made if isinstance(made, tuple) else (made,), strict=True):
            write_csv(Path(path), table)
