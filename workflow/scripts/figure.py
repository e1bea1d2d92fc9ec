"""A small figure in one job: owner, learners and referee follow each other, the first two in processes of their own.

What takes long to import is imported once, before these processes part; a figure's code is not among it.
"""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

from workflow.scripts.learn import learn, learn_confined
from workflow.scripts.release import release
from workflow.scripts.score import score

from replication.engine.job import job, run_apart
from replication.engine.layout import Files, prepared

Step = tuple[Callable[..., None], tuple[Any, ...]]


def steps(files: Files, seed: int) -> Iterator[Step]:
    """The stages of a whole figure in their order, each with what it is given."""
    figure = files.figure
    for arm in figure.release.values():
        for trials in arm.chunks:
            task, fields = files.task(seed, "release", arm, trials), prepared(arm.fields)
            yield release, (task, fields, files.released(arm, trials))
    for arm in figure.learn.values():
        for trials in arm.chunks:
            task, fields = files.task(seed, "learn", arm, trials), prepared(arm.fields)
            yield learn, (task, files.granted(arm, trials), fields, files.learned(arm, trials))
    arm = figure.score
    task, fields = files.task(seed, "score", arm, range(figure.trials)), prepared(arm.fields)
    yield score, (task, files.all_learned, fields, files.provenance, files.scored)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        for name in snakemake.params.libraries:
            import_module(name)
        for stage, given in steps(snakemake.params.files, snakemake.params.seed):
            if stage is score:
                score(*given)
            else:
                confined = partial(learn_confined, snakemake.config)
                run_apart(f"{stage.__name__} {given[0].arm}", confined if stage is learn else stage, *given)
