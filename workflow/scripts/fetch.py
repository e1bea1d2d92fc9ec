"""Snakemake's edge of the stage `fetch`."""

import os
from pathlib import Path

from replication.engine.job import job

if "snakemake" in globals():
    with job(snakemake.log[0]):
        from replication.data.fetching.fetch import fetch

        mirror = os.environ.get("UNVEIL_MIRROR") or snakemake.config["mirror"]
        if snakemake.config["wsj"]:
            os.environ.setdefault("UNVEIL_WSJ", snakemake.config["wsj"])
        # Beside the code, not beside the results: `snakemake --directory` puts those elsewhere.
        sources = Path(snakemake.scriptdir).resolve().parents[1] / "data" / "sources.yaml"
        raw = Path(snakemake.output[0]).parent
        fetch(snakemake.wildcards.dataset, sources, raw, Path(mirror) if mirror else None)
