"""The referee's job in the multiverse: a whole figure under other choices, and what its claims come to there.

Owner, learner and referee run in turn, by the functions of their own stages: a learner's function is given what was
released and what its arm may read, and no more.
"""

import sys
import tempfile
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd
from workflow.scripts.learn import learn
from workflow.scripts.release import release
from workflow.scripts.score import score

from replication.engine.job import job
from replication.engine.layout import PREPARED
from replication.engine.plan import Arm
from replication.engine.task import Task, write_csv
from replication.judging.judge import load
from replication.judging.multiverse.settings import Universe
from replication.judging.multiverse.table import COLUMNS, Row, seen, unseen


def multiverse(universes: Iterable[Universe], seed: int, output: Path) -> None:
    """Run every universe; one that fails settles nothing, and its log says why."""
    rows: list[Row] = []
    for universe in universes:
        print(f"{universe.name}:", file=sys.stderr, flush=True)  # noqa: T201 - the log
        try:
            rows += judged(universe, seed)
        except Exception:  # whatever a choice breaks, the other universes stand
            traceback.print_exc()
            rows += unseen(universe)
    write_csv(output, pd.DataFrame(rows, columns=COLUMNS))


def judged(universe: Universe, seed: int) -> list[Row]:
    """Every claim of the figure in one universe, whose files last as long as that takes."""
    figure = universe.figure
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def task(stage: str, arm: Arm) -> Task:
            return Task(seed, figure.paper, figure.name, arm.name, range(figure.trials), figure.module(stage))

        released = {
            arm: [folder / "released" / arm / name for name in ("all.npz", "all.exact.npz")] for arm in figure.release
        }
        for owner in figure.release.values():
            release(task("release", owner), owner.settings, _fields(owner), *released[owner.name])
        learned = {arm: folder / "learned" / arm / "all.npz" for arm in figure.learn}
        for learner in figure.learn.values():
            sent = [str(path) for arm in learner.releases for path in reversed(released[arm])]
            learn(task("learn", learner), learner.settings, sent, _fields(learner), learned[learner.name])
        outputs = (folder / table for table in ("scores.csv", "scores.meta.json", "timings.csv"))
        provenance = [f"{PREPARED}/{dataset}/provenance.json" for dataset in figure.datasets]
        referee = figure.score
        files: Sequence[str] = [str(path) for path in learned.values()]
        score(task("score", referee), referee.settings, files, _fields(referee), provenance, *outputs)
        return seen(universe, *load(folder))


def _fields(arm: Arm) -> list[str]:
    return [f"{PREPARED}/{dataset}/{field}.npy" for dataset, field in arm.fields]


if "snakemake" in globals():
    with job(snakemake.log[0]):
        multiverse(snakemake.params.universes, snakemake.params.seed, Path(snakemake.output[0]))
