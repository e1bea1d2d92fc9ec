"""What every stage of a figure shares: which figure and trials it is about, and the files of its arms."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from replication.arrays import Key, Named
from replication.engine.storage import load_array, load_trials, readable, save_bytes
from replication.randomness import Trial
from unveil.types import Array


class Task(NamedTuple):
    """Which figure, which of its trials under which seed, the module of the stage, and its settings.

    A tuple, since of a rule's parameters Snakemake compares those of Python's own types.
    """

    seed: int
    paper: str
    figure: str
    arm: str
    trials: range
    module: str
    settings: Any

    def function(self, stage: str) -> Callable[..., Any]:
        """The figure's function for a stage."""
        function: Callable[..., Any] = getattr(import_module(self.module), stage)
        return function

    def trial(self, stage: str, number: int) -> Trial:
        """A trial as this stage sees it."""
        return Trial(self.seed, self.paper, self.figure, stage, self.arm, number)

    def run_trials(self, stage: str, run: Callable[[Trial], Named]) -> dict[int, Named]:
        """Run every trial; what each returned."""
        results: dict[int, Named] = {}
        for number in self.trials:
            start = time.perf_counter()
            results[number] = run(self.trial(stage, number))
            print(f"trial {number}: {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)  # noqa: T201
        return results


def load_fields(paths: Iterable[str]) -> dict[str, dict[str, Array]]:
    """Prepared fields by data set and name, from `data/prepared/<data set>/<field>.npy`."""
    fields: dict[str, dict[str, Array]] = {}
    for path in map(Path, paths):
        fields.setdefault(path.parent.name, {})[path.stem] = load_array(path)
    return fields


def load_arms(paths: Iterable[str]) -> dict[str, dict[int, dict[Key, Array]]]:
    """Trials by arm, from files named `…/<arm>/<chunk>.npz`; what an owner put into two files is together again."""
    arms: dict[str, dict[int, dict[Key, Array]]] = {}
    for path in map(Path, paths):
        trials = arms.setdefault(path.parent.name, {})
        for number, arrays in load_trials(path).items():
            trials[number] = trials.get(number, {}) | arrays
    return arms


def write_csv(path: Path, table: Any) -> None:
    """A table, whole, with numbers that read back to the same bits."""
    save_bytes(path, table.to_csv(index=False, lineterminator="\n").encode())


def read_scores(path: Path, text: Iterable[str] = ()) -> Any:
    """The tidy table that the referee wrote, bit for bit; the columns of `text` are not read as numbers."""
    import pandas as pd

    with readable(path):
        return pd.read_csv(path, dtype=dict.fromkeys(text, str))
