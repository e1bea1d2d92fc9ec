"""Stage `score`: the referee holds what was learned against the truth."""

import inspect
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.arrays import Named
from replication.engine.job import job
from replication.engine.runs import require_run
from replication.engine.storage import load_json, save_json
from replication.engine.task import Task, load_arms, load_fields, write_csv
from unveil.errors import require


def score(
    task: Task,
    settings: Any,
    learned: Iterable[str],
    truth: Iterable[str],
    provenance: Iterable[str],
    outputs: tuple[Path, Path, Path],
) -> None:
    """Write the scores, what they rest on, and the timings."""
    arms = load_arms(learned).items()
    learners = {arm: [trials[number] for number in sorted(trials)] for arm, trials in arms}
    data = [load_json(Path(path)) for path in provenance]
    stage = task.function("score")
    # A table of the data sets asks for their grades, too.
    supplied = {"grades": {item["dataset"]: item["grade"] for item in data}}
    wanted = {name: value for name, value in supplied.items() if name in inspect.signature(stage).parameters}
    start = time.perf_counter()
    trials = [task.trial("score", number) for number in task.trials]
    scores = stage(learners, load_fields(truth), trials, settings, **wanted)
    seconds = time.perf_counter() - start
    require(len(scores) > 0, "the score stage returned no rows")
    write_csv(outputs[0], scores)
    save_json(outputs[1], metadata(task, settings, data), require_run)
    write_csv(outputs[2], timings(learners, seconds))


def timings(learners: Mapping[str, Sequence[Named]], seconds: float) -> pd.DataFrame:
    """All that a learner named `("seconds", …)`, and the time of the scoring itself."""
    rows: list[tuple[str, int | None, str, int, float]] = [
        (arm, trial, "_".join(map(str, name[1:])), step, float(value))
        for arm, trials in learners.items()
        for trial, arrays in enumerate(trials)
        for name, array in arrays.items()
        if isinstance(name, tuple) and name[0] == "seconds"
        for step, value in enumerate(np.ravel(array))
    ]
    columns = ["arm", "trial", "what", "step", "seconds"]
    table = pd.DataFrame([*rows, ("score", None, "total", 0, seconds)], columns=columns)
    return table.astype({"trial": "Int64"})


def metadata(task: Task, settings: Any, data: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the scores rest on."""
    keys = ("dataset", "grade", "source", "sha256", "rows")
    return {
        "paper": task.paper,
        "figure": task.figure,
        "seed": task.seed,
        "trials": len(task.trials),
        "settings": finite(asdict(settings)),
        "data": [{key: item[key] for key in keys} for item in data],
    }


def finite(value: Any) -> Any:
    """Settings as JSON can hold them: infinity as text."""
    if isinstance(value, Mapping):
        return {name: finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value


if "snakemake" in globals():
    with job(snakemake.log[0]):
        score(
            Task.of(snakemake.params.task),
            snakemake.params.settings,
            snakemake.input.learned,
            snakemake.input.truth,
            snakemake.input.provenance,
            (Path(snakemake.output.scores), Path(snakemake.output.metadata), Path(snakemake.output.timings)),
        )
