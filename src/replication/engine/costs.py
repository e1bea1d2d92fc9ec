"""What jobs cost: as the last run noted it, else as the table knows it that is shipped.

A job goes by the path of its log without the suffix, below the folder of logs.
"""

from __future__ import annotations

import csv
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from math import ceil
from pathlib import Path
from statistics import mean
from typing import Any

from replication.engine.code import ROOT

#: Made from whole runs by `python -m tools.costs`: folder of logs, arm or job, CPU seconds and peak memory of a job.
TABLE = ROOT / "workflow" / "costs.csv"
#: What a job of which nothing is known may cost: mostly the start of Python.
UNKNOWN = 2.0


@dataclass(frozen=True)
class Cost:
    """What a job took: processor time, itself and its children, and its peak memory."""

    cpu_seconds: float
    peak_mib: float


def strand(name: str) -> str:
    """A job's name without its trials, which are cut otherwise in another run."""
    return re.sub(r"[-/]\d{4}-\d{4}$", "", name)


def notes(logs: Path) -> Iterator[tuple[str, Cost]]:
    """What the jobs of the last run noted at their ends, by name; one that was killed left nothing."""
    for path in sorted(logs.rglob("*.cost.json")):
        text = path.read_text(encoding="utf-8")
        if text:
            note = json.loads(text)
            yield path.relative_to(logs).as_posix()[: -len(".cost.json")], Cost(note["cpu_seconds"], note["peak_mib"])


@dataclass(frozen=True)
class Costs:
    """What jobs and whole strands cost, by name."""

    known: Mapping[str, Cost] = field(default_factory=dict)

    @classmethod
    def shipped(cls, logs: str) -> Costs:
        """The table's rows for this folder of logs: what a run under other settings costs is of no use."""
        if not TABLE.is_file():
            return cls()
        with TABLE.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["logs"] == logs]
        return cls({row["job"]: Cost(float(row["cpu_seconds"]), float(row["peak_mib"])) for row in rows})

    def updated(self, noted: Iterable[tuple[str, Cost]]) -> Costs:
        """These, and what a run noted since."""
        costs = dict(noted)
        return Costs({**self.known, **strands(costs.items()), **costs})

    def of(self, name: str) -> float:
        """The CPU seconds that a job may take: it, or its strand on average, or little."""
        found = self._find(name)
        return found.cpu_seconds if found else UNKNOWN

    def priority(self, *chain: str) -> int:
        """Long jobs first: CPU seconds, in tenths, of jobs that wait for each other."""
        return round(10 * sum(map(self.of, chain)))

    def needs(self, name: str, attempt: int = 1) -> dict[str, int]:
        """What to ask a cluster for: MiB and minutes, with room to spare, and more where a job comes again.

        Nothing is said of jobs that nobody knows: the profile's defaults hold.
        """
        found = self._find(name)
        if found is None:
            return {}
        memory = 256 * ceil(1.5 * found.peak_mib / 256)
        return {"mem_mb": attempt * max(memory, 512), "runtime": attempt * (10 + ceil(found.cpu_seconds / 6))}

    def _find(self, name: str) -> Cost | None:
        return self.known.get(name) or self.known.get(strand(name))


def strands(costs: Iterable[tuple[str, Cost]]) -> dict[str, Cost]:
    """What a job of each strand costs on average, and the most memory that one took."""
    jobs: dict[str, list[Cost]] = {}
    for name, cost in costs:
        jobs.setdefault(strand(name), []).append(cost)
    return {
        name: Cost(mean(cost.cpu_seconds for cost in own), max(cost.peak_mib for cost in own))
        for name, own in jobs.items()
    }


@dataclass(frozen=True)
class Step:
    """A job of a run: its name, what it may cost, and the numbers of the jobs that it waits for."""

    name: str
    seconds: float
    needs: tuple[int, ...]


def steps_of(dag: Any, costs: Costs, logs: Path) -> dict[int, Step]:
    """The jobs that Snakemake is about to run, by its numbers for them."""
    steps = {}
    for job in dag.needrun_jobs():
        names = [Path(log).relative_to(logs).with_suffix("").as_posix() for log in job.log]
        needs = (dag.jobid(other) for other in dag.dependencies[job] if dag.needrun(other))
        cost = sum(costs.of(name) for name in names)
        steps[int(dag.jobid(job))] = Step(next(iter(names), job.rule.name), cost, tuple(sorted(needs)))
    return steps


def save_plan(path: Path, steps: Mapping[int, Step], logs: str, cores: int) -> None:
    """What a run is about to do."""
    plan = {"logs": logs, "cores": cores, "began": time.time(), "steps": {n: asdict(step) for n, step in steps.items()}}
    path.write_text(json.dumps(plan) + "\n", encoding="utf-8")
