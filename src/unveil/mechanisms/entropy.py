"""Random bytes, and nothing else: all that a mechanism that is fit for real use may ask for.

numpy's generators are made for simulation: from a few outputs of PCG64 or the Mersenne Twister the rest follow, and
with them the noise. `SecureGenerator` takes its bytes from the operating system instead, keeps none of them, and has
no seed.
"""

from __future__ import annotations

import secrets
from typing import Any, NoReturn, Protocol

from numpy.random import Generator

from unveil.errors import SimulationOnly


class RandomBytes(Protocol):
    """What an exact sampler draws from: independent uniform bytes. Which sources do is for `require_secure` to say."""

    def bytes(self, length: int, /) -> bytes:
        """The next `length` bytes."""
        ...


def require_secure(rng: RandomBytes, testing: bool) -> RandomBytes:
    """The source of a mechanism that is fit for release: the operating system, or for a test a numpy generator.

    Nothing else that has bytes will do: numpy's module and its older generators can be seeded from anywhere.
    """
    if type(rng) is SecureGenerator or (testing and isinstance(rng, Generator)):
        return rng
    if isinstance(rng, Generator):
        raise SimulationOnly(
            "rng must be a SecureGenerator here: the noise of a numpy Generator can be drawn again and taken off; "
            "for tests and simulation make the mechanism with testing=True"
        )
    other = " or, for tests, a numpy Generator" if testing else ""
    raise SimulationOnly(f"rng must be a SecureGenerator{other}, not {type(rng).__name__}")


def require_generator(rng: object, mechanism: str) -> Generator:
    """The generator; without one a release would be real, which is not what a mechanism with float noise is for."""
    if not isinstance(rng, Generator):
        raise SimulationOnly(
            f"rng must be a numpy Generator: {mechanism} draws in floating point and is for simulation only "
            "(docs/safe_noise.md)"
        )
    return rng


class SecureGenerator:
    """Bytes from the operating system's cryptographic generator, asked for anew each time: `rng` of a real release.

    It draws no floating-point noise on purpose. The mechanisms that do can be seen through whatever bits they are fed
    with (Mironov 2012), so they refuse it with `SimulationOnly`.

    Examples
    --------
    >>> from unveil import GeometricCounts, LaplaceCounts, SecureGenerator
    >>> float(GeometricCounts(0.5).release([120, 80, 300], SecureGenerator()).sum().round(9))
    1.0
    >>> LaplaceCounts(0.5).release([120, 80, 300], SecureGenerator())  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    unveil.errors.SimulationOnly: rng must be a numpy Generator here: this mechanism draws laplace() in floating ...
    """

    def bytes(self, length: int, /) -> bytes:
        """The next `length` bytes; no one can draw them again."""
        return secrets.token_bytes(length)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(Generator, name):
            raise SimulationOnly(
                f"rng must be a numpy Generator here: this mechanism draws {name}() in floating point and is for "
                "simulation only; for a real release take a mechanism with fit_for_release (docs/safe_noise.md)"
            )
        raise AttributeError(f"SecureGenerator has no attribute {name!r}")

    def __reduce__(self) -> NoReturn:
        """A copy would look as if there were a state to copy."""
        raise TypeError("SecureGenerator cannot be pickled: it has no state")
