"""Named arrays: what passes between the stages of a figure.

A name is a word or a tuple of words and whole numbers, such as `("housing", "raw", 3, "bits")`. Stages write and read
these tuples; only the files know how they are spelt.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from unveil.errors import require
from unveil.types import Array

Key: TypeAlias = str | tuple[str | int, ...]

#: What an owner releases, or a learner learned, in one trial.
Named: TypeAlias = Mapping[Key, Array]

#: What each arm of learners found, trial by trial.
Learned: TypeAlias = Mapping[str, Sequence[Named]]

#: Prepared fields by data set and name.
Fields: TypeAlias = Mapping[str, Mapping[str, Array]]


#: The same where some of it may be whole releases, with their parameters.
Values: TypeAlias = Mapping[Key, Any]


class Released(dict[Key, Any]):
    """What leaves an owner in one trial, of which some is exact beside what was noised: it goes into a file of its own.

    Whoever may read the noised file only cannot undo the noise by it. A learner of an arm gets both, the exact first.
    """

    def __init__(self, noised: Values, exact: Values) -> None:
        super().__init__({**exact, **noised})
        require(len(self) == len(noised) + len(exact), "what is exact and what is noised need names of their own")
        self.exact = frozenset(exact)

    @classmethod
    def divided(cls, arrays: Named, is_exact: Callable[[Key], bool]) -> Released:
        """Arrays of which a name tells whether they are exact."""
        exact = {name: array for name, array in arrays.items() if is_exact(name)}
        return cls({name: array for name, array in arrays.items() if name not in exact}, exact)


def split_exact(arrays: Values) -> tuple[Values, Values]:
    """What an owner's two files hold: what was noised, or all where nothing was, and what is exact beside it."""
    apart: frozenset[Key] = arrays.exact if isinstance(arrays, Released) else frozenset()
    first, second = ({name: arrays[name] for name in arrays if (name in apart) == kind} for kind in (False, True))
    return first, second


_WORD = re.compile(r"[A-Za-z_.-][A-Za-z0-9_.-]*")


def under(arrays: Named, *prefix: str | int) -> dict[Key, Array]:
    """The arrays whose names begin with `prefix`, by the rest of their names."""
    n = len(prefix)
    return {
        _plain(name[n:]): array
        for name, array in arrays.items()
        if isinstance(name, tuple) and name[:n] == prefix and len(name) > n
    }


def spell(name: Key) -> str:
    """A name as files write it: its parts between slashes."""
    parts = (name,) if isinstance(name, str) else name
    for part in parts:
        fine = part >= 0 if isinstance(part, int) else _WORD.fullmatch(part)
        require(fine and not isinstance(part, bool), f"{name!r} cannot name an array")
    require(parts, "an array needs a name")
    return "/".join(map(str, parts))


def parse_name(text: str) -> Key:
    """The name that `spell` wrote."""
    return _plain(tuple(int(part) if part.isdecimal() else part for part in text.split("/")))


def _plain(parts: tuple[str | int, ...]) -> Key:
    """A single word stands for itself."""
    first = parts[0]
    return first if len(parts) == 1 and isinstance(first, str) else parts
