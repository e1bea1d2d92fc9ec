"""Stage `learn`: from what was released, and what is public, to what was learned."""

import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from replication.arrays import Named
from replication.engine.boundary import confine, private_folders
from replication.engine.job import job
from replication.engine.runs import RUN
from replication.engine.storage import save_trials
from replication.engine.task import Task, load_arms, load_fields
from replication.randomness import Trial


def learn(task: Task, released: Iterable[str], public: Iterable[str], output: str) -> None:
    """Run the figure's learner on every trial, and time it."""
    import numpy as np

    releases = load_arms(released)
    fields = load_fields(public)
    stage = task.function("learn")

    def one(trial: Trial) -> Named:
        seen = {arm: trials[trial.number] for arm, trials in releases.items()}
        start = time.perf_counter()
        learned = dict(stage(seen, fields, trial, task.settings))
        return {**learned, ("seconds", "total"): np.float64(time.perf_counter() - start)}

    save_trials(Path(output), task.run_trials("learn", one))


def learn_confined(
    config: Mapping[str, Any], task: Task, released: Iterable[str], public: Iterable[str], output: str
) -> None:
    """The same in a process that opens nothing else of what is private, before the learner's code is imported."""
    granted = [*released, *public]
    said = confine(private_folders(config), [*map(Path, granted), RUN], Path(output))
    print(said, file=sys.stderr)  # noqa: T201 - the log
    learn(task, released, public, output)


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        learn_confined(snakemake.config, snakemake.params.task, given.released, given.public, snakemake.output[0])
