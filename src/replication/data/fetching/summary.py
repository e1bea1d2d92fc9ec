"""One line a data set: what it is and where it came from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from replication.data.fetching.landing import read_json


def summary(raw: Path, datasets: Iterable[str]) -> list[str]:
    """A line for each data set below `raw` (data/raw): its name, grade and source, stand-ins in capitals."""
    lines = []
    for dataset in datasets:
        told = read_json(raw / dataset / "provenance.json") or {"grade": "not fetched", "source": ""}
        grade = told["grade"].upper() if told["grade"] == "stand-in" else told["grade"]
        lines.append(f"{dataset:<14} {grade:<9} {told['source']}".rstrip())
    return lines


def stand_ins(raw: Path, datasets: Iterable[str]) -> list[str]:
    """A warning for each fetched data set that is not the paper's own, and what to do about it."""
    fetched = [read_json(raw / dataset / "provenance.json") for dataset in datasets]
    lines = [
        f"note: {item['dataset']} is a {item['grade']} ({item['source']}), not the paper's data"
        for item in fetched
        if item and item["grade"] != "full"
    ]
    return [*lines, "note: data/README.md says how to bring the real files"] if lines else []
