"""What every mechanism's `publish` needs: where noise comes from, and what labels are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator

from unveil.errors import SimulationOnly, require
from unveil.mechanisms.entropy import RandomBytes, SecureGenerator
from unveil.types import Array


def simulated(rng: object, mechanism: str) -> Generator:
    """The generator; without one a release would be real, which is not what a mechanism with float noise is for."""
    if not isinstance(rng, Generator):
        raise SimulationOnly(
            f"rng must be a numpy Generator: {mechanism} draws in floating point and is for simulation only "
            "(docs/safe_noise.md)"
        )
    return rng


def randomness_of(source: RandomBytes) -> str:
    """What a release says of its noise: only the operating system's cannot be drawn again."""
    return "os" if isinstance(source, SecureGenerator) else "seeded"


def checked_classes(classes: Sequence[Any]) -> tuple[Any, Any]:
    """The public names of the two classes, the negative one first, as texts, numbers or truth values."""
    require(
        isinstance(classes, Sequence | np.ndarray) and not isinstance(classes, str | bytes) and len(classes) == 2,
        "classes must be two: the names of the negative and of the positive class",
    )
    first, second = (name.item() if isinstance(name, np.generic) else name for name in classes)
    plain = all(isinstance(name, str | int | float) for name in (first, second))
    require(plain and first != second and first == first, "classes must be two different texts or numbers")
    return first, second


def positives(y: Array, classes: tuple[Any, Any]) -> Array:
    """Which labels are of the second class; others than the two are errors.

    One class only is no error: whether a release happens must not depend on the labels.
    """
    second = np.asarray(y == classes[1])
    known = second | np.asarray(y == classes[0])
    # A truth value equals 0 or 1, and a text no number: numpy compares as Python does, or not at all.
    names = "the labels -1 and +1" if classes == (-1, 1) else f"{classes[0]!r} and {classes[1]!r}"
    require(known.shape == y.shape and bool(known.all()), f"y must hold {names} only")
    return second
