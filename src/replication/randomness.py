"""Where every random number comes from.

One function turns the root seed and a path of names into a generator, so a draw depends on *what* it is
for and never on how the work was cut into jobs, how many cores ran, or what was drawn before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import InitVar, dataclass, field
from typing import Any

from numpy.random import Generator, default_rng

#: Streams that owner, learner and referee share: what is public, the order in which records are visited, and what is
#: held out of those that were released.
SHARED = ("public", "order", "held out")


def generator(seed: int, *path: str | float) -> Generator:
    """The generator for `path` (paper, figure, stage, arm, trial …) under the root `seed`."""
    return _generator(_hashed(seed, *path))


def _hashed(*parts: str | float) -> Any:
    """A hash that has seen these names: it can go on to further ones and never back."""
    return hashlib.sha256("\0".join(map(str, parts)).encode())


def _generator(state: Any) -> Generator:
    return default_rng(int.from_bytes(state.digest(), "big"))


def _branch(state: Any, names: Iterable[str | float]) -> Generator:
    """The generator for these names after those that `state` has seen."""
    longer = state.copy()
    for name in names:
        longer.update(f"\0{name}".encode())
    return _generator(longer)


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
    _branches: dict[tuple[str | float, ...], Generator] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self, seed: int) -> None:
        """Forget the seed."""
        states = {name: _hashed(seed, self.paper, self.figure, name, self.number) for name in SHARED}
        own = _hashed(seed, self.paper, self.figure, self.stage, self.arm, self.number)
        object.__setattr__(self, "_states", states | {"own": own})

    @property
    def rng(self) -> Generator:
        """The stage's own randomness: the stage is in the path, so a learner cannot draw the owner's noise."""
        return self.rng_of()

    def rng_of(self, *names: str | float) -> Generator:
        """The stage's own randomness for one of several things: a data set, a level; asked again, it goes on.

        So what else a stage is asked for changes none of the numbers that are drawn for this.
        """
        path = tuple(name if isinstance(name, str) else float(name) for name in names)
        if path not in self._branches:
            self._branches[path] = _branch(self._states["own"], path)
        return self._branches[path]

    @property
    def public(self) -> Generator:
        """Randomness that owner, learner and referee share (splits, windows, bags), anew on each access."""
        return self.shared("public")

    def shared(self, name: str, *more: str | int) -> Generator:
        """One of the `SHARED` streams, or a branch of it, anew on each call."""
        return _branch(self._states[name], more)
