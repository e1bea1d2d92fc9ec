"""Named arrays: what passes between the stages of a figure.

A name is a word or a tuple of words and whole numbers, such as `("housing", "raw", 3, "bits")`. Stages write and read
these tuples; only the files know how they are spelt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from unveil.errors import require
from unveil.types import Array

Key: TypeAlias = str | tuple[str | int, ...]

#: What an owner releases, or a learner learned, in one trial.
Named: TypeAlias = Mapping[Key, Array]

#: Prepared fields by data set and name.
Fields: TypeAlias = Mapping[str, Mapping[str, Array]]

_WORD = re.compile(r"[A-Za-z_.-][A-Za-z0-9_.-]*")


def under(arrays: Named, *prefix: str | int) -> dict[Key, Array]:
    """The arrays whose names begin with `prefix`, by the rest of their names."""
    n = len(prefix)
    return {
        _plain(name[n:]): array
        for name, array in arrays.items()
        if isinstance(name, tuple) and name[:n] == prefix and len(name) > n
    }


def spelt(name: Key) -> str:
    """A name as files write it: its parts between slashes."""
    parts = (name,) if isinstance(name, str) else name
    for part in parts:
        fine = part >= 0 if isinstance(part, int) else _WORD.fullmatch(part)
        require(fine and not isinstance(part, bool), f"{name!r} cannot name an array")
    require(parts, "an array needs a name")
    return "/".join(map(str, parts))


def read(text: str) -> Key:
    """The name that `spelt` wrote."""
    return _plain(tuple(int(part) if part.isdecimal() else part for part in text.split("/")))


def _plain(parts: tuple[str | int, ...]) -> Key:
    """A single word stands for itself."""
    first = parts[0]
    return first if len(parts) == 1 and isinstance(first, str) else parts
