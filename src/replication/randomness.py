"""Where every random number comes from.

One function turns the root seed and a path of names into a generator, so a draw depends on *what* it is
for and never on how the work was cut into jobs, how many cores ran, or what was drawn before.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

from numpy.random import Generator, default_rng


def generator(seed: int, *path: str | int) -> Generator:
    """The generator for `path` (paper, figure, stage, arm, trial …) under the root `seed`."""
    key = "\0".join([str(seed), *map(str, path)])
    return default_rng(int.from_bytes(hashlib.sha256(key.encode()).digest(), "big"))


@dataclass(frozen=True)
class Trial:
    """One repetition of an experiment, seen from one stage."""

    seed: int
    paper: str
    figure: str
    stage: str
    arm: str
    number: int

    @cached_property
    def rng(self) -> Generator:
        """The stage's own randomness: the stage is in the path, so a learner cannot draw the owner's noise."""
        return generator(self.seed, self.paper, self.figure, self.stage, self.arm, self.number)

    @property
    def public(self) -> Generator:
        """Randomness that owner, learner and referee share (splits, windows, bags), anew on each access."""
        return generator(self.seed, self.paper, self.figure, "public", self.number)
