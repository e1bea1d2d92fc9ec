"""Stage `render` of figures that are tables: the same scores, as text."""

from pathlib import Path

from replication.engine.job import job
from replication.engine.runs import require_run
from replication.engine.storage import save_bytes
from replication.engine.task import Task, read_scores, write_csv


def tabulate(task: Task, scores: Path, csv: Path, markdown: Path) -> None:
    """Write the table as CSV and as Markdown."""
    from replication import style

    table = task.function("draw", "table")(read_scores(scores))
    write_csv(csv, table)
    save_bytes(markdown, style.markdown_table(table).encode(), require_run)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        csv, markdown = Path(snakemake.output.csv), Path(snakemake.output.markdown)
        tabulate(Task.of(snakemake.params.task), Path(snakemake.input.scores), csv, markdown)
