"""Snakemake's edge of the stage `learn`: it shuts the doors before the learner's code is imported."""

from pathlib import Path

from unveil.pipeline.guard import confine
from unveil.pipeline.job import job

with job(snakemake.log[0]):
    from unveil.pipeline.learn import learn
    from unveil.pipeline.task import Task

    output = Path(snakemake.output[0])
    results = output.parents[4]
    confine([Path("data"), results], map(Path, snakemake.input), output)
    released, public = snakemake.input.released, snakemake.input.public
    learn(Task.of(snakemake.params.task), snakemake.params.settings, released, public, output)
