"""What `recommend` tries: mechanisms on made-up data, and all that learns through each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.random import Generator


@dataclass(frozen=True)
class Learner:
    """What learns from a release of a world: its predictions for what is held out, and what the command calls it."""

    name: str
    predict: Callable[[Any, Any], Any]
    settings: tuple[str, ...] = ()
    #: It takes what was released for the data themselves.
    ignores: bool = False


@dataclass(frozen=True)
class Candidate:
    """A mechanism on made-up data and all that learns through it; `publish` draws noise by a numpy generator."""

    mechanism: str
    publish: Callable[[Any, Generator], Any]
    learners: tuple[Learner, ...]
    #: `unveil release` and its arguments, where the mechanism is fit for real data.
    command: str | None = None
    #: Of what sees the data without a veil, or nothing of them: what can be had at best and at worst.
    level: tuple[float, float] | None = None


def publish_rows(mechanism: Any, **how: Any) -> Callable[[Any, Generator], Any]:
    """What publishes the features and the target of a world by a mechanism."""
    return lambda world, rng: mechanism.publish((world.X, world.y), rng, **how)
