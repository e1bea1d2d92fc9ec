"""Stage `release`: the owner veils the private fields."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from replication.engine.task import Task, load_fields


def release(task: Task, settings: Mapping[str, Any], private: Iterable[str], output: Path) -> None:
    """Write exactly what leaves the owner."""
    fields = load_fields(private)
    stage = task.function("release")
    task.run_trials("release", lambda trial: stage(fields, trial, **settings), output)
