"""Snakemake's edge of the scorecard: the verdicts as a picture."""

from pathlib import Path

from replication.engine.job import job

with job(snakemake.log[0]):
    from replication.judging.card import render

    render(Path(snakemake.input[0]), [Path(path) for path in snakemake.output])
