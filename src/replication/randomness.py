"""Where every random number comes from.

One function turns the root seed and a path of names into a generator, so a draw depends on *what* it is
for and never on how the work was cut into jobs, how many cores ran, or what was drawn before.
"""

from __future__ import annotations

import hashlib
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any

from numpy.random import Generator, default_rng

#: Streams that owner, learner and referee share: what is public, the order in which records are visited, and what is
#: held out of those that were released.
SHARED = ("public", "order", "held out")


def generator(seed: int, *path: str | int) -> Generator:
    """The generator for `path` (paper, figure, stage, arm, trial …) under the root `seed`."""
    return _generator(_hashed(seed, *path))


def _hashed(*parts: str | int) -> Any:
    """A hash that has seen these names: it can go on to further ones and never back."""
    return hashlib.sha256("\0".join(map(str, parts)).encode())


def _generator(state: Any) -> Generator:
    return default_rng(int.from_bytes(state.digest(), "big"))


@dataclass(frozen=True)
class Trial:
    """One repetition of an experiment, seen from one stage.

    It does not keep the root seed, only what the seed and the names before have been hashed to. So a learner cannot
    make the generator of another stage: not by asking, and not by `dataclasses.replace`.
    """

    seed: InitVar[int]
    paper: str
    figure: str
    stage: str
    arm: str
    number: int
    _states: dict[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self, seed: int) -> None:
        """Forget the seed."""
        states = {name: _hashed(seed, self.paper, self.figure, name, self.number) for name in SHARED}
        own = _hashed(seed, self.paper, self.figure, self.stage, self.arm, self.number)
        object.__setattr__(self, "_states", states | {"own": own})

    @cached_property
    def rng(self) -> Generator:
        """The stage's own randomness: the stage is in the path, so a learner cannot draw the owner's noise."""
        return _generator(self._states["own"])

    @property
    def public(self) -> Generator:
        """Randomness that owner, learner and referee share (splits, windows, bags), anew on each access."""
        return self.shared("public")

    def shared(self, name: str, *more: str | int) -> Generator:
        """One of the `SHARED` streams, or a branch of it, anew on each call."""
        state = self._states[name].copy()
        for part in more:
            state.update(f"\0{part}".encode())
        return _generator(state)
