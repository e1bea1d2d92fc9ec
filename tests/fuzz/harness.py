"""What a hostile caller may do, and what must come of it: a clear error or a finite answer, in little memory."""

from __future__ import annotations

import dataclasses
import os
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from unveil.types import Array

#: `UNVEIL_FUZZ=long` looks fifty times as long.
EFFORT = 50 if os.environ.get("UNVEIL_FUZZ") == "long" else 1
#: What one hostile input may make a reader or an estimator allocate.
MEMORY = 100_000_000

Call = Callable[..., Any]


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


def tame(call: Call, *arguments: Any, **named: Any) -> Any:
    """The result, checked to be finite, or None where the call was refused by an error of the promised kind."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", RuntimeWarning
            )  # an overflow is no crash; a NaN that is left of it is one
            result = call(*arguments, **named)
    except (ValueError, NotFittedError) as error:
        says_something(error)
        return None
    assert not missing_numbers(result), f"a NaN came out: {result!r}"
    return result


def says_something(error: Exception) -> None:
    """An error without a word helps nobody."""
    assert str(error).strip()


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


NUMBERS = st.sampled_from(
    [-1, 0, -0.5, 0.5, 1, 2, float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 5e-324, 2**70]
)
STRANGERS = st.sampled_from([True, "1", "", None, b"1", [], {}, object(), 1j, [1.0, "x"], [[1, 2], [3]]])


def spoiled_arrays(good: Array) -> st.SearchStrategy[Any]:
    """The array with a defect of a kind that callers are known to bring about."""
    entries = st.sampled_from([np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -1.0, 0.5, 7.0])

    def with_entry(value: float) -> Array:
        changed = good.astype(float)
        changed.reshape(-1)[changed.size // 2 :][:1] = value
        return changed

    whole: list[Any] = [
        good[:0],
        good[:1],
        good[..., None],
        good.reshape(-1),
        good.T,
        good[::-1],
        np.concatenate([good, good]),
        np.concatenate([good[:1]] * len(good)) if len(good) else good,
        good.astype(object),
        good.astype(str),
        good.astype(complex),
        good.astype(np.float32),
        good.astype("M8[s]") if good.dtype.kind in "iu" else good > 0,
        np.zeros_like(good),
        np.full_like(good, 255) if good.dtype.kind in "iu" else np.full(good.shape, 1e200),
        np.array(3.0),
        np.array(None),
        np.empty((0, 0)),
        np.empty((3, 0)),
    ]
    return st.one_of(entries.map(with_entry), st.sampled_from(whole), STRANGERS, NUMBERS)


def spoiled(value: Any) -> st.SearchStrategy[Any]:
    """Something hostile in the place of a good argument."""
    if isinstance(value, np.ndarray):
        return spoiled_arrays(value)
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        one = spoiled_arrays(value[0]).map(lambda first: [first, *value[1:]])
        return st.one_of(one, st.sampled_from([[], value[:1], value[::-1]]), STRANGERS)
    return st.one_of(NUMBERS, STRANGERS)
