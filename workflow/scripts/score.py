"""Stage `score`: the referee holds what was learned against the truth."""

import inspect
import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from replication.arrays import Named
from replication.engine.job import job
from replication.engine.storage import load_json, save_json
from replication.engine.task import Task, load_arms, load_fields, write_csv
from unveil.errors import require

Names = Iterable[str]


def score(task: Task, learned: Names, truth: Names, provenance: Names, outputs: Names) -> None:
    """Write the scores, what they rest on, and the timings."""
    output, basis, times = map(Path, outputs)
    data = [load_json(Path(path)) for path in provenance]
    stage = task.function("score")
    given: dict[str, Any] = {
        "learned": {arm: [trials[number] for number in sorted(trials)] for arm, trials in load_arms(learned).items()},
        "fields": load_fields(truth),
        "trials": [task.trial("score", number) for number in task.trials],
        "settings": task.settings,
        "grades": {item["dataset"]: item["grade"] for item in data},
    }
    start = time.perf_counter()
    # A referee is given what it asks for: an exact one asks for its settings alone.
    scores = stage(**{name: given[name] for name in inspect.signature(stage).parameters})
    seconds = time.perf_counter() - start
    require(len(scores) > 0, "the score stage returned no rows")
    write_csv(output, scores)
    save_json(basis, metadata(task, data))
    write_csv(times, timings(given["learned"], seconds))


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
    rows.append(("score", None, "total", 0, seconds))
    return pd.DataFrame(rows, columns=["arm", "trial", "what", "step", "seconds"]).astype({"trial": "Int64"})


def metadata(task: Task, data: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the scores rest on."""
    keys = ("dataset", "grade", "source", "sha256", "rows")
    return {
        "paper": task.paper,
        "figure": task.figure,
        "seed": task.seed,
        "trials": len(task.trials),
        # As JSON can hold them: infinity as text.
        "settings": json.loads(json.dumps(asdict(task.settings)), parse_constant=lambda text: str(float(text))),
        "data": [{key: item[key] for key in keys} for item in data],
    }


if "snakemake" in globals():
    with job(snakemake.log[0]):
        given = snakemake.input
        score(snakemake.params.task, given.learned, given.truth, given.provenance, snakemake.output)
