"""Stage `learn`: from what was released, and what is public, to what was learned."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from replication.engine.task import Task, load_arms, load_fields
from replication.randomness import Trial
from unveil.types import Arrays


def learn(
    task: Task, settings: Mapping[str, Any], released: Iterable[str], public: Iterable[str], output: Path
) -> None:
    """Run the figure's learner on every trial, and time it."""
    releases = load_arms(released)
    fields = load_fields(public)
    stage = task.function("learn")

    def one(trial: Trial) -> Arrays:
        seen = {arm: trials[trial.number] for arm, trials in releases.items()}
        start = time.perf_counter()
        learned = dict(stage(seen, fields, trial, **settings))
        return {**learned, "seconds_total": np.float64(time.perf_counter() - start)}

    task.run_trials("learn", one, output)
