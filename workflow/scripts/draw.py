"""Pictures across papers: a table, and the module that draws it."""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from replication.engine.job import job
from replication.engine.runs import require_run
from replication.engine.storage import save_bytes
from replication.engine.task import read_scores


def draw(module: str, table: Path, seed: int | None, outputs: Iterable[Path]) -> None:
    """Draw the table in every format; what was drawn at random names its seed."""
    from replication import style

    with style.applied():
        figure = import_module(module).draw(read_scores(table))
        if seed is not None:
            style.add_footer(figure, {"data": [], "trials": 0, "seed": seed})
        for path, content in style.pictures(figure, outputs):
            save_bytes(path, content, require_run)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        draw(
            snakemake.params.module, Path(snakemake.input[0]), snakemake.params.get("seed"), map(Path, snakemake.output)
        )
