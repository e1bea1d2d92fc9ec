"""Names of arrays within an arm: `<data set>/<name>`, and the one arm of a stage."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from unveil.errors import require
from unveil.types import Array, Arrays

Entry = TypeVar("Entry")


def only(arms: Mapping[str, Entry]) -> Entry:
    """What the one arm of a stage has to say."""
    require(len(arms) == 1, f"one arm is expected, not {', '.join(arms) or 'none'}")
    return next(iter(arms.values()))


def part(arrays: Arrays, *path: str | int) -> dict[str, Array]:
    """The arrays below `path`, as in `<data set>/<name>`, without it."""
    prefix = "".join(f"{step}/" for step in path)
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def below(arrays: Arrays, *path: str | int) -> dict[str, Array]:
    """The arrays with `path` before their names: the inverse of `part`."""
    prefix = "".join(f"{step}/" for step in path)
    return {prefix + name: array for name, array in arrays.items()}
