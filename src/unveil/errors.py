"""Errors that a user can act on: each message names the argument and the rule it broke."""

from __future__ import annotations

import os
import warnings
from dataclasses import fields
from inspect import currentframe
from math import inf, isnan
from numbers import Integral, Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

#: How the paths of this package's own files begin.
_PACKAGE = f"{Path(__file__).parent}{os.sep}"


class UnveilError(ValueError):
    """Something the caller can mend; shown as one line, without a traceback."""


class NoValidScale(UnveilError):  # noqa: N818 - the name users know
    """No scale σ of the Dirichlet meets the demanded (ε, δ)."""


class NoEstimate(UnveilError):  # noqa: N818 - says what happened
    """No parameters of the model have the moments that were estimated."""


class SourceError(UnveilError):
    """No source of a data set answered with the right bytes."""


class SimulationOnly(UnveilError):  # noqa: N818 - says what the mechanism is
    """A mechanism whose noise is floating-point was asked for a release with cryptographic randomness.

    Examples
    --------
    >>> from unveil import LaplaceCounts, SecureGenerator, SimulationOnly
    >>> try:
    ...     LaplaceCounts(0.5).release([120, 80], SecureGenerator())
    ... except SimulationOnly:
    ...     print("take GeometricCounts")
    take GeometricCounts
    """


class TooNoisy(UserWarning):
    """A model is expected to be worth little: its release has too much noise for so few records."""


def require(condition: object, message: str) -> None:
    """Raise `UnveilError` with `message` unless `condition` holds."""
    if not condition:
        raise UnveilError(message)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of something, and name the line of the user's program that led to it: the nearest outside this package."""
    frame, level = currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def escape(line: str) -> str:
    """The line with what is no print, signs that clear a terminal or turn the direction of text, written in full."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)


def is_real(value: object) -> bool:
    """Whether the value is a real number of any type, and no truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)


def is_whole(value: object) -> bool:
    """Whether the value is a whole number by its type, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


#: Numbers beyond these sizes overflow or vanish somewhere; no parameter has a use for them.
_SMALLEST, _LARGEST, _LARGEST_WHOLE = 1e-100, 1e100, 2**53


def require_number(value: object, name: str, whole: bool = False) -> None:
    """Raise unless `value` is a real number of a size that can be computed with.

    No text, no truth value, no array, nothing missing; NaN and infinity are left to the rules of the caller.
    """
    require(is_real(value), f"{name} must be a number, not {value!r}")
    number: Any = value
    size = abs(number)
    require(
        size in (0, inf) or isnan(size) or _SMALLEST <= size <= _LARGEST,
        f"{name} must be a number between 1e-100 and 1e100 in size, not {value!r}",
    )
    require(
        not whole or (size <= _LARGEST_WHOLE and number == int(number)), f"{name} must be a whole number, not {value!r}"
    )


def require_numbers(record: DataclassInstance) -> None:
    """`require_number` for each field of a dataclass that is a `float` or `int` by its annotation, or None."""
    for field in fields(record):
        kinds = set(str(field.type).split(" | "))
        value = getattr(record, field.name)
        if kinds & {"float", "int"} and kinds <= {"float", "int", "None"} and not (value is None and "None" in kinds):
            require_number(value, field.name, whole="int" in kinds)
            # A whole number in the place of a real one, or the other way round, is taken for what it stands for.
            object.__setattr__(record, field.name, int(value) if "int" in kinds else float(value))
