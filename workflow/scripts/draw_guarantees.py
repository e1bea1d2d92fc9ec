"""Snakemake's edge of the figure of guarantees."""

from pathlib import Path

from replication.engine.job import job

with job(snakemake.log[0]):
    from replication import style
    from replication.engine.guard import require_run
    from replication.engine.storage import replacing
    from replication.engine.task import read_scores
    from replication.judging.guarantees.draw import draw

    with style.applied():
        figure = draw(read_scores(Path(snakemake.input[0])))
        style.add_footer(figure, {"data": [], "trials": 0, "seed": snakemake.params.seed})
        for path in map(Path, snakemake.output):
            with replacing(path, require_run) as draft:
                style.save(figure, draft)
