"""What a hostile caller may do, and what must come of it: a clear error or a finite answer, in little memory."""

from __future__ import annotations

import dataclasses
import os
import re
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning, NotFittedError

from unveil.errors import TooNoisy
from unveil.types import Array

#: `UNVEIL_FUZZ=long` looks fifty times as long.
EFFORT = 50 if os.environ.get("UNVEIL_FUZZ") == "long" else 1
#: What one hostile input may make a reader or an estimator allocate.
MEMORY = 100_000_000

#: Names of the table that the called function does not use, and what an argument is called further in.
ALIASES = {
    "y": ("counts", "tags"), "query": ("X", "words"), "text": ("tags",), "observations": ("moments",),
    "minimum_count": ("counts",),
    # The other side of a relation that the argument broke.
    "X": ("bags",), "mu": ("X",), "states": ("stats", "pixels"), "stats": ("statistics",), "proportions": ("bags",),
    "delta_bar": ("alpha",),
}  # fmt: skip
#: What scikit-learn asks of estimators where an object is no number at all.
_NO_NUMBER = re.compile("argument must be .*string.* number")

Call = Callable[..., Any]


@dataclass(frozen=True)
class Good:
    """A call that works: `call(**arguments)`."""

    name: str
    call: Call
    arguments: dict[str, Any]


def examples(count: int) -> settings:
    """So many examples, derandomised by the suite's profile; many more in a long run."""
    return settings(max_examples=count * EFFORT)


@contextmanager
def little_memory(limit: int = MEMORY) -> Iterator[None]:
    """Fails where more than `limit` bytes were held at any time."""
    tracemalloc.start()
    try:
        yield
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= limit, f"{peak / 1e6:.0f} MB for a hostile input"


def outcome(call: Call, *arguments: Any, **named: Any) -> tuple[Any, Exception | None]:
    """The result, checked to be finite, and None; or None and the error of the promised kind."""
    try:
        with warnings.catch_warnings():
            # An overflow, or a fit that has not converged, is no crash; a NaN that is left of it is one.
            for harmless in (RuntimeWarning, ConvergenceWarning, DataConversionWarning, TooNoisy):
                warnings.simplefilter("ignore", harmless)
            result = call(*arguments, **named)
    except (ValueError, NotFittedError) as error:
        return None, error
    except TypeError as error:
        if _NO_NUMBER.search(str(error)) is None:
            raise
        return None, error
    assert not missing_numbers(result), f"a NaN came out: {result!r}"
    return result, None


def names(error: Exception, argument: str) -> bool:
    """Whether the message says which argument it is about, by its own name or one that the table's stands for."""
    said = str(error)
    return any(name in said for name in (argument, *ALIASES.get(argument, ()))) or _NO_NUMBER.search(said) is not None


def assert_one_line(error: Exception) -> None:
    """What a person can read at a glance."""
    assert str(error).strip()
    assert "\n" not in str(error)


def missing_numbers(result: Any) -> bool:
    """Whether there is a NaN anywhere in a result; infinities are answers."""
    if isinstance(result, Mapping):
        return any(map(missing_numbers, result.values()))
    if isinstance(result, list | tuple):
        return any(map(missing_numbers, result))
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return any(missing_numbers(getattr(result, field.name)) for field in dataclasses.fields(result))
    if isinstance(result, np.ndarray | float | np.floating):
        array = np.asarray(result)
        return bool(array.dtype.kind in "fc" and np.isnan(array).any())
    return False


NUMBERS: list[Any] = [-1, 0, -0.5, 0.5, 1, 2, np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 2**70]
STRANGERS: list[Any] = [True, "1", "", None, b"1", [], {}, object(), 1j, [1.0, "x"], [[1, 2], [3]], [np.nan]]
ENTRIES = [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -1.0, 0.5, 7.0]


def spoiled_arrays(good: Array) -> list[Any]:
    """The array with each defect of a kind that callers are known to bring about."""

    def with_entry(value: float) -> Array:
        changed = good.astype(float)
        changed.reshape(-1)[changed.size // 2 :][:1] = value
        return changed

    numeric = [] if good.dtype.kind not in "fiub" else [with_entry(value) for value in ENTRIES]
    whole = good.dtype.kind in "iu"
    return [
        *numeric, good[:0], good[:1], good[..., None], good.reshape(-1), good.T, good[::-1],
        np.concatenate([good, good]), np.concatenate([good[:1]] * len(good)) if len(good) else good,
        *(good.astype(kind) for kind in (object, str, complex, np.float32)),
        good.astype("M8[s]") if whole else good > 0, np.zeros_like(good),
        np.full_like(good, 255) if whole else np.full(good.shape, 1e200),
        np.array(3.0), np.array(None), np.empty((0, 0)), np.empty((3, 0)),
    ]  # fmt: skip


def spoils(value: Any) -> list[Any]:
    """Everything hostile that we put in the place of a good argument."""
    if isinstance(value, np.ndarray):
        return [*spoiled_arrays(value), *STRANGERS, *NUMBERS]
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        one = [[first, *value[1:]] for first in spoiled_arrays(value[0])]
        return [*one, [], value[:1], value[::-1], *STRANGERS, *NUMBERS]
    return [*NUMBERS, *STRANGERS]


def spoiled(value: Any) -> st.SearchStrategy[Any]:
    """Something hostile in the place of a good argument."""
    return st.sampled_from(spoils(value))
