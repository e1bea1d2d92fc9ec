"""Snakemake's edge of the stage `learn`: it shuts the doors before the learner's code is imported."""

from pathlib import Path

from replication.engine.guard import confine
from replication.engine.job import job

with job(snakemake.log[0]):
    from replication.engine.learn import learn
    from replication.engine.task import Task

    output = Path(snakemake.output[0])
    results = output.parents[4]
    confine([Path("data"), results], map(Path, snakemake.input), output)
    released, public = snakemake.input.released, snakemake.input.public
    learn(Task.of(snakemake.params.task), snakemake.params.settings, released, public, output)
