"""Stage `render`: from a table to pictures, nothing else."""

from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from replication.engine.job import job
from replication.engine.storage import load_json, save_bytes
from replication.engine.task import read_scores


def draw(module: str, table: Path, basis: Mapping[str, Any] | None, outputs: Iterable[Path]) -> None:
    """Draw the table in every format, with a footer that says what it rests on."""
    from replication import style

    with style.applied():
        figure = import_module(module).draw(read_scores(table))
        if basis is not None:
            style.add_footer(figure, basis)
        for path, content in style.pictures(figure, outputs):
            save_bytes(path, content)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        metadata, seed = snakemake.input.get("metadata"), snakemake.params.get("seed")
        # What was drawn at random, and rests on no data, names its seed.
        basis = load_json(Path(metadata)) if metadata else {"data": [], "trials": 0, "seed": seed}
        rests = metadata or seed is not None
        draw(snakemake.params.module, Path(snakemake.input[0]), basis if rests else None, map(Path, snakemake.output))
