"""Stage `learn`: from what was released, and what is public, to what was learned."""

import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from replication.arrays import Named
from replication.engine.boundary import confine
from replication.engine.job import job
from replication.engine.storage import save_trials
from replication.engine.task import Task, load_arms, load_fields
from replication.randomness import Trial

#: Folders of files that the configuration or the environment names.
OWN = ("mirror", "wsj")


def learn(task: Task, settings: Any, released: Iterable[str], public: Iterable[str], output: Path) -> None:
    """Run the figure's learner on every trial, and time it."""
    import numpy as np

    releases = load_arms(released)
    fields = load_fields(public)
    stage = task.function("learn")

    def one(trial: Trial) -> Named:
        seen = {arm: trials[trial.number] for arm, trials in releases.items()}
        start = time.perf_counter()
        learned = dict(stage(seen, fields, trial, settings))
        return {**learned, ("seconds", "total"): np.float64(time.perf_counter() - start)}

    save_trials(output, task.run_trials("learn", one))


if "snakemake" in globals():
    with job(snakemake.log[0]):
        output = Path(snakemake.output[0])
        # Before the learner's code is imported.
        mirrors = [Path(snakemake.config[name] or os.environ.get(f"UNVEIL_{name.upper()}") or "data") for name in OWN]
        private = [Path("data"), output.parents[4], *mirrors]
        print(confine(private, map(Path, snakemake.input), output), file=sys.stderr)  # noqa: T201 - the log
        task, settings = Task.of(snakemake.params.task), snakemake.params.settings
        learn(task, settings, snakemake.input.released, snakemake.input.public, output)
