"""Errors that a user can act on: each message names the argument and the rule it broke."""

from __future__ import annotations


class UnveilError(ValueError):
    """Something the caller can mend; shown as one line, without a traceback."""


class NoValidScale(UnveilError):  # noqa: N818 - the name users know
    """No scale σ of the Dirichlet meets the demanded (ε, δ)."""


class SourceError(UnveilError):
    """No source of a data set answered with the right bytes."""


class SimulationOnly(UnveilError):  # noqa: N818 - says what the mechanism is
    """A mechanism whose noise is floating-point was asked for a release with cryptographic randomness."""


def require(condition: object, message: str) -> None:
    """Raise `UnveilError` with `message` unless `condition` holds."""
    if not condition:
        raise UnveilError(message)
