"""Snakemake's edge of the claims: every paper's claims against the scores of its figures."""

from pathlib import Path

from replication.engine.job import job

if "snakemake" in globals():
    with job(snakemake.log[0]):
        from replication.judging.judge import judge

        judge(snakemake.params.papers, map(Path, snakemake.input.scores), *map(Path, snakemake.output))
