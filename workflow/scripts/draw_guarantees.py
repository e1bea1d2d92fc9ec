"""Snakemake's edge of the figure of guarantees."""

from pathlib import Path

from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil import style
    from unveil.experiments.guarantees.draw import draw
    from unveil.pipeline.guard import require_run
    from unveil.pipeline.storage import replacing
    from unveil.pipeline.task import read_scores

    with style.applied():
        figure = draw(read_scores(Path(snakemake.input[0])))
        style.add_footer(figure, {"data": [], "trials": 0, "seed": snakemake.params.seed})
        for path in map(Path, snakemake.output):
            with replacing(path, require_run) as draft:
                style.save(figure, draft)
