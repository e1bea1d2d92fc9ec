"""Stage `render`: from scores to pictures, nothing else."""

from collections.abc import Iterable
from pathlib import Path

from replication.engine.job import job
from replication.engine.runs import require_run
from replication.engine.storage import load_json, save_bytes
from replication.engine.task import Task, read_scores


def render(task: Task, scores: Path, metadata: Path, outputs: Iterable[Path]) -> None:
    """Draw the figure and save it in every format, with the footer that says what it rests on."""
    from replication import style

    with style.applied():
        figure = task.function("draw")(read_scores(scores))
        style.add_footer(figure, load_json(metadata))
        for path, content in style.pictures(figure, outputs):
            save_bytes(path, content, require_run)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        scores, metadata = Path(snakemake.input.scores), Path(snakemake.input.metadata)
        render(Task.of(snakemake.params.task), scores, metadata, map(Path, snakemake.output))
