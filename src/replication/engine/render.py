"""Stage `render`: from scores to pictures and tables, nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from replication import style
from replication.engine.guard import require_run
from replication.engine.storage import load_json, replacing
from replication.engine.task import Task, read_scores, write_csv


def render(task: Task, scores: Path, metadata: Path, outputs: Iterable[Path]) -> None:
    """Draw the figure and save it in every format, with the footer that says what it rests on."""
    with style.applied():
        figure = task.function("draw")(read_scores(scores))
        style.add_footer(figure, load_json(metadata))
        style.settle(figure)
        for path in outputs:
            with replacing(path, require_run) as draft:
                style.save(figure, draft)


def tabulate(task: Task, scores: Path, csv: Path, markdown: Path) -> None:
    """Write a figure that is a table as text."""
    table = task.function("draw", "table")(read_scores(scores))
    write_csv(csv, table)
    with replacing(markdown, require_run) as draft:
        draft.write_text(style.markdown_table(table), encoding="utf-8")
