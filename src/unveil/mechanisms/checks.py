"""Rules that data and demanded guarantees must keep, shared by the mechanisms. A `check_…` returns what it accepts."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import is_real, is_whole, require, require_number
from unveil.types import Array, Floats, as_array, as_numbers

#: Levels that whole numbers of 64 bits can stand for.
LOWEST_LEVEL, HIGHEST_LEVEL = 2.0**-20, 20.0
#: How many counts move by one between neighbours: a label that changes leaves one class and joins another; a record
#: that is there or not moves one.
MOVED = {"bounded": 2, "unbounded": 1}


def check_epsilon(epsilon: float) -> None:
    """Raise unless ε is positive and e^ε can be told from 1 and from ∞."""
    require_number(epsilon, "epsilon")
    require(isfinite(epsilon) and epsilon > 0, f"epsilon must be positive and finite, not {epsilon}")
    require(1e-9 <= epsilon <= 700, f"epsilon must lie between 1e-9 and 700, not {epsilon}: beyond, e^ε is 1 or ∞")


def check_demand(epsilon: float, delta: float) -> None:
    """Raise unless ε > 0 and 0 < δ < 1."""
    check_epsilon(epsilon)
    require_number(delta, "delta")
    require(0 < delta < 1, f"delta must lie strictly between 0 and 1, not {delta}")


def check_level(epsilon: float, name: str = "epsilon") -> None:
    """Raise unless the level is one that the exact samplers can keep."""
    require(
        is_real(epsilon) and isfinite(epsilon) and LOWEST_LEVEL <= epsilon <= HIGHEST_LEVEL,
        f"{name} must be a number from 2^-20 to {HIGHEST_LEVEL:g}, not {epsilon!r}",
    )


def check_alpha(alpha: float, name: str = "alpha") -> None:
    """Raise unless the level, or whatever else, is positive and finite."""
    require(isfinite(alpha) and alpha > 0, f"{name} must be a positive finite number, got {alpha}")


def check_steps(steps: int) -> None:
    """Raise unless it is a number of steps that a grid can have."""
    require(is_whole(steps) and 1 <= steps <= 1 << 20, "steps must be a whole number between 1 and 1,048,576")


def check_neighbours(neighbours: str) -> None:
    """Raise unless it says which data sets are neighbours."""
    require(neighbours in MOVED, f"neighbours must be 'bounded' or 'unbounded', not {neighbours!r}")


def check_counts(counts: ArrayLike, dimensions: int = 1) -> Array:
    """Class counts as floats."""
    values = as_numbers(counts, "counts")
    require(values.ndim == dimensions and values.shape[-1] >= 2, "counts must hold at least two classes")
    require(np.isfinite(values).all(), "counts must be finite")
    require((values >= 0).all(), "counts must not be negative")
    require((values == np.floor(values)).all(), "counts must be whole numbers")
    require((values.sum(axis=-1) > 0).all(), "counts must not all be zero")
    require((values <= 2.0**53).all(), "counts must be at most 2^53: larger ones are not exact")
    return values


def check_sets(counts: ArrayLike) -> Array:
    """Class counts of one set, or of one set a row."""
    return check_counts(counts, dimensions=max(as_array(counts, "counts").ndim, 1))


def check_states(values: ArrayLike, states: int, name: str) -> Array:
    """`values` as they are: whole numbers or truth values, inside 0 … states − 1."""
    array: Array = as_array(values, name)
    require(array.dtype.kind in "iub", f"{name} must hold whole numbers from 0 to {states - 1}, not {array.dtype}")
    if array.size:
        low, high = int(array.min()), int(array.max())
        require(low >= 0 and high < states, f"{name} must lie between 0 and {states - 1}, found {low} to {high}")
    return array


def response_type(true: Array, states: int) -> np.dtype[Any]:
    """The type of answers about these states: their own where it holds all of them, or else a wider one."""
    return np.result_type(true.dtype, np.bool_ if states <= 2 else np.min_scalar_type(states - 1))


def check_features(X: ArrayLike, name: str = "X") -> Floats:
    """X as a matrix of finite doubles."""
    features = as_numbers(X, name)
    require(features.ndim == 2, f"{name} must have two dimensions, got {features.ndim}")
    require(features.size > 0, f"{name} must have at least one row and one column")
    require(np.all(np.isfinite(features)), f"{name} must hold finite numbers: NaN or infinity found")
    return features


def check_signs(y: ArrayLike, m: int) -> Floats:
    """Labels as ±1.0, one a record.

    One class only is no error here: whether a release happens must not depend on the labels.
    """
    signs: Array = as_array(y, "y")
    require(signs.shape == (m,), f"y must have shape ({m},), one label a row of X, got {signs.shape}")
    require(signs.dtype.kind in "iuf" and np.all(np.abs(signs) == 1), "y must hold the labels -1 and +1 only")
    return signs.astype(float)


def check_names(names: Sequence[Any], number: int, message: str) -> list[Any]:
    """So many different texts, numbers or truth values, as Python has them."""
    listed = isinstance(names, Sequence | np.ndarray) and not isinstance(names, str | bytes)
    plain = [name.item() if isinstance(name, np.generic) else name for name in names] if listed else []
    known = all(isinstance(name, str | int | float) and name == name for name in plain)
    require(known and len(set(plain)) == len(plain) == number, message)
    return plain


def check_classes(classes: Sequence[Any]) -> tuple[Any, Any]:
    """The public names of the two classes, the negative one first."""
    two = "classes must be two different texts or numbers: the names of the negative and of the positive class"
    first, second = check_names(classes, 2, two)
    return first, second


def check_intercept(intercept: bool) -> bool:
    """Whether a constant one is a feature, too."""
    require(isinstance(intercept, bool | np.bool_), "intercept must be True or False")
    return bool(intercept)


def find_positives(y: Array, classes: tuple[Any, Any]) -> Array:
    """Which labels are of the second class; others than the two are errors.

    One class only is no error: whether a release happens must not depend on the labels.
    """
    second = np.asarray(y == classes[1])
    known = second | np.asarray(y == classes[0])
    # A truth value equals 0 or 1, and a text no number: numpy compares as Python does, or not at all.
    names = "the labels -1 and +1" if classes == (-1, 1) else f"{classes[0]!r} and {classes[1]!r}"
    require(known.shape == y.shape and bool(known.all()), f"y must hold {names} only")
    return second
