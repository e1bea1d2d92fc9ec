"""Stage `score`: the referee holds what was learned against the truth."""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.engine.guard import require_run
from replication.engine.storage import load_json, save_json
from replication.engine.task import Task, load_arms, load_fields, write_csv
from unveil.errors import require
from unveil.types import Arrays


def score(
    task: Task,
    settings: Mapping[str, Any],
    learned: Iterable[str],
    truth: Iterable[str],
    provenance: Iterable[str],
    outputs: tuple[Path, Path, Path],
) -> None:
    """Write the scores, what they rest on, and the timings."""
    learners = {
        arm: [trials[number] for number in sorted(trials)] for arm, trials in load_arms(learned).items()
    }
    data = [load_json(Path(path)) for path in provenance]
    stage = task.function("score")
    supplied = {"grades": {item["dataset"]: item["grade"] for item in data}}
    wanted = {name: value for name, value in supplied.items() if name in inspect.signature(stage).parameters}
    start = time.perf_counter()
    trials = [task.trial("score", number) for number in task.trials]
    scores = stage(learners, load_fields(truth), trials, **settings, **wanted)
    seconds = time.perf_counter() - start
    require(len(scores) > 0, "the score stage returned no rows")
    write_csv(outputs[0], scores)
    save_json(outputs[1], _metadata(task, settings, data), require_run)
    write_csv(outputs[2], _timings(learners, seconds))


def _timings(learners: Mapping[str, Sequence[Arrays]], seconds: float) -> pd.DataFrame:
    """Every number that a learner named `seconds_…`, and the time of the scoring itself."""
    rows: list[tuple[str, int | None, str, int, float]] = [
        (arm, trial, name.removeprefix("seconds_"), step, float(value))
        for arm, trials in learners.items()
        for trial, arrays in enumerate(trials)
        for name, array in arrays.items()
        if name.startswith("seconds_")
        for step, value in enumerate(np.ravel(array))
    ]
    table = pd.DataFrame(
        [*rows, ("score", None, "total", 0, seconds)], columns=["arm", "trial", "what", "step", "seconds"]
    )
    return table.astype({"trial": "Int64"})


def _metadata(task: Task, settings: Mapping[str, Any], data: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    keys = ("dataset", "grade", "source", "sha256", "rows")
    return {
        "paper": task.paper,
        "figure": task.figure,
        "seed": task.seed,
        "trials": len(task.trials),
        "settings": _finite(settings),
        "data": [{key: item[key] for key in keys} for item in data],
    }


def _finite(value: Any) -> Any:
    """Settings as JSON can hold them: infinity as text."""
    if isinstance(value, Mapping):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
