"""Snakemake's edge of the claims: every paper's claims against the scores of its figures."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.pipeline.judge import judge

    judge(snakemake.params.papers, map(Path, snakemake.input.scores), Path(snakemake.output[0]))
