"""Snakemake's edge of the stage `fetch`."""

import os
from pathlib import Path

from replication.engine.job import job

if "snakemake" in globals():
    with job(snakemake.log[0]):
        from replication.data.fetching.fetch import fetch

        for name, setting in (("UNVEIL_MIRROR", "mirror"), ("UNVEIL_WSJ", "wsj")):
            os.environ[name] = os.environ.get(name) or snakemake.config[setting] or ""
        # Beside the code, not beside the results: `snakemake --directory` puts those elsewhere.
        sources = Path(snakemake.scriptdir).resolve().parents[1] / "data" / "sources.yaml"
        raw, worse = Path(snakemake.output[0]).parent, snakemake.config.get("allow_stand_in", False)
        fetch(snakemake.wildcards.dataset, sources, raw, allow_stand_in=worse)
