"""Snakemake's edge of the multiverse: all universes in one table, with the same scores judged otherwise."""

from pathlib import Path

from replication.engine.job import job

if "snakemake" in globals():
    with job(snakemake.log[0]):
        from replication.judging.multiverse.table import gather

        given, wanted = snakemake.input, snakemake.params
        scores = [Path(path) for path in given.scores]
        gather(map(Path, given.universes), wanted.papers, scores, wanted.figures, Path(snakemake.output[0]))
