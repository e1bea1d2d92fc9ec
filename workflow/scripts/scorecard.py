"""Snakemake's edge of the scorecard: the verdicts as a picture."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.pipeline.card import render

    render(Path(snakemake.input[0]), [Path(path) for path in snakemake.output])
