"""Stage `render` of figures that are tables: the same scores, as text."""

from importlib import import_module
from pathlib import Path

from replication.engine.job import job
from replication.engine.storage import save_bytes
from replication.engine.task import read_scores, write_csv


def tabulate(module: str, scores: Path, csv: Path, markdown: Path) -> None:
    """Write the table as CSV and as Markdown."""
    from replication import style

    table = import_module(module).table(read_scores(scores))
    write_csv(csv, table)
    save_bytes(markdown, style.markdown_table(table).encode())


if "snakemake" in globals():
    with job(snakemake.log[0]):
        tabulate(snakemake.params.module, Path(snakemake.input.scores), *map(Path, snakemake.output))
