"""What jobs cost, as the table knows it that is shipped, and as the last run noted it.

A job goes by the path of its log without the suffix, below the folder of logs.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

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
    """What the jobs of the last run noted at their ends, by name; one that was killed left none, or half of one."""
    for path in sorted(logs.rglob("*.cost.json")):
        with suppress(OSError, ValueError):  # empty, cut, or nothing but its length
            note = json.loads(path.read_bytes())
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

    def of(self, name: str) -> float:
        """The CPU seconds that a job may take: it, or its strand on average, or little."""
        found = self._find(name)
        return found.cpu_seconds if found else UNKNOWN

    def memory(self, name: str, attempt: int = 1) -> int:
        """The MiB to ask a cluster for, with room to spare, and more where a job comes again."""
        found = self._find(name)
        return attempt * (max(256 * ceil(1.5 * found.peak_mib / 256), 512) if found else 4096)

    def minutes(self, name: str, attempt: int = 1) -> int:
        """The minutes to ask a cluster for, likewise."""
        found = self._find(name)
        return attempt * (10 + ceil(found.cpu_seconds / 6) if found else 240)

    def _find(self, name: str) -> Cost | None:
        return self.known.get(name) or self.known.get(strand(name))
