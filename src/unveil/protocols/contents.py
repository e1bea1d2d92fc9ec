"""What may stand in a file that somebody else wrote: a protocol says it once of each entry; all else is refused.

That is before any estimator sees it: no allocation, and no compiled code, goes by a number that was not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isclose
from typing import Any, NamedTuple

import numpy as np

from unveil.errors import UnveilError, is_real, is_whole, require
from unveil.types import Array

#: Larger numbers, and divisors smaller than its inverse, overflow somewhere.
MOST = 1e100
#: Lengths by name: what has the same name is as long wherever it stands.
Sizes = dict[str, int]


class Values(NamedTuple):
    """Numbers: the sides of their array, how arrays of different records become one, and where they lie."""

    sides: tuple[str | int, ...] = ()
    how: str = ""
    low: float = -MOST
    #: A number, or what is as long.
    high: float | str = MOST
    #: Whether the file may hold "iu" whole numbers, "f" any, or "b" truth values.
    kinds: str = "iuf"
    whole: bool = False
    #: Whether nothing may stand there.
    optional: bool = False

    def check(self, name: str, value: Any, sizes: Sizes) -> Any:
        """The value, as it is, if it is such; lengths that were not known yet are noted."""
        if value is None and self.optional:
            return value
        fits = is_real(value) or isinstance(value, bool | np.ndarray)
        array: Array = np.asarray(value if fits else "")
        called = "truth values" if self.kinds == "b" else "whole numbers" if self.kinds == "iu" else "numbers"
        require(array.dtype.kind in self.kinds, f"{name} must hold {called}")
        same = array.ndim == len(self.sides)
        for side, length in zip(self.sides, array.shape, strict=False):
            same = same and length == (sizes.setdefault(side, length) if isinstance(side, str) else side)
        require(same, f"{name} must have the shape ({', '.join(map(str, self.sides))}) of its kind, not {array.shape}")
        high = sizes[self.high] if isinstance(self.high, str) else self.high
        within = not array.size or (self.low <= array.min() and array.max() <= high)
        require(within, f"{name} must lie between {self.low:g} and {high:g}")
        broken = self.whole and array.dtype.kind == "f" and not np.array_equal(array, np.rint(array))
        require(not broken, f"{name} must hold whole numbers")
        return value


#: The errors of a linear model's weights.
COVARIANCE = Values(("weights", "weights"), low=-MOST * MOST, high=MOST * MOST, optional=True)
#: What linear models predict from: a number, and one of two classes.
REGRESSION: dict[str, Values | None] = {
    "n_features_in_": Values(whole=True),
    "covariance_": COVARIANCE,
    "coef_": Values(("features",)),
    "intercept_": Values(),
    "rank_": Values(low=0, whole=True),
    "_has_intercept": Values(kinds="b"),
}
CLASSIFIER: dict[str, Values | None] = {
    "n_features_in_": Values(whole=True),
    "covariance_": COVARIANCE,
    "classes_": None,
    "coef_": Values((1, "features")),
    "intercept_": Values((1,)),
}


def check_names(name: str, value: Any, sizes: Sizes, side: str = "classes") -> Any:
    """Different texts or numbers, one for each of what has this side."""
    listed = value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else value
    plain = isinstance(listed, list) and all(isinstance(one, str | bool) or is_real(one) for one in listed)
    require(plain and listed and len(set(listed)) == len(listed), f"{name} must be a list of different names")
    length = sizes.setdefault(side, len(listed))
    require(len(listed) == length, f"{name} must be {length} names")
    return value


class Domain(NamedTuple):
    """What a parameter may be, in words and as a rule."""

    words: str
    holds: Callable[[Any], bool]


def whole_number(low: int, high: int) -> Domain:
    """A whole number."""
    return Domain(f"a whole number from {low} to {high}", lambda value: is_whole(value) and low <= value <= high)


def number(low: float, high: float = MOST) -> Domain:
    """A real number."""
    return Domain(f"a number from {low:g} to {high:g}", lambda value: is_real(value) and low <= value <= high)


def one_of(*known: str) -> Domain:
    """One of a few texts."""
    return Domain(f"one of {', '.join(known)}", lambda value: isinstance(value, str) and value in known)


TRUTH = Domain("a truth value", lambda value: isinstance(value, bool))


def require_followed(stated: Mapping[str, Any], followed: Mapping[str, Any]) -> None:
    """Raise unless a file states what follows from its parameters, but for the last digits."""
    for name, expected in followed.items():
        value: Any = stated.get(name)
        if isinstance(expected, np.ndarray):
            fine = np.shape(value) == expected.shape and np.allclose(value, expected, rtol=1e-9, atol=1e-12)
        else:
            close = is_real(value) and is_real(expected) and isclose(value, expected, rel_tol=1e-9, abs_tol=1e-300)
            fine = value == expected or close
        what = "" if isinstance(expected, np.ndarray) else f", {expected!r}, not {value!r}"
        require(fine, f"{name} must be what follows from the parameters{what}")


def compute(follow: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What follows from parameters that may be nonsense."""
    try:
        with np.errstate(all="ignore"):
            return follow()
    except UnveilError:
        raise
    except (ArithmeticError, TypeError, ValueError, KeyError, AttributeError, IndexError) as error:
        raise UnveilError("parameters must be such as the mechanism has") from error
