"""Reading raw files: each problem becomes one line that names the file and says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import DTypeLike

from replication.data.compressed import name_damage, open_unpacked, read_bounded
from unveil.errors import SourceError
from unveil.types import Array

#: No raw text is larger than this, unpacked.
LIMIT = 1_000_000_000


def describe_problem(path: Path, problem: str) -> SourceError:
    """The error for a file that is not what it should be."""
    return SourceError(f"{path.name} {problem}; delete {path.parent} and fetch it again")


@contextmanager
def explain(path: Path) -> Iterator[None]:
    """Say of which file it was that a parser complained."""
    try:
        with name_damage(path.name):
            yield
    except SourceError as error:
        raise describe_problem(path, str(error).removeprefix(path.name).strip()) from error
    except UnicodeDecodeError as error:
        raise describe_problem(path, f"is not UTF-8 text (byte {error.start})") from error
    except FileNotFoundError as error:
        raise describe_problem(path, "is missing") from error
    except (ValueError, KeyError) as error:  # pandas' parser errors are ValueErrors
        raise describe_problem(path, f"cannot be read ({' '.join(str(error).split())[:160]})") from error


def require_rows(path: Path, condition: object, problem: str) -> None:
    """Raise unless what was read from `path` is right."""
    if not condition:
        raise describe_problem(path, problem)


def read_text(path: Path, limit: int = LIMIT) -> str:
    """The UTF-8 text of a file, compressed or not."""
    with explain(path):
        return read_bounded(path, limit).decode("utf-8-sig")


def read_table(path: Path, columns: int, dtype: DTypeLike = np.float64, **options: Any) -> Array:
    """A table of finite numbers with exactly `columns` columns; `options` are pandas' (`sep`, `header`)."""
    with explain(path), open_unpacked(path) as file:
        frame = pd.read_csv(file, dtype=dtype, **({"header": None} | options))
    require_rows(path, frame.shape[1] == columns, f"has {frame.shape[1]} columns instead of {columns}")
    values: Array = frame.to_numpy()
    require_rows(path, np.isfinite(values).all(), "has missing or infinite values")
    require_rows(path, len(values), "has no rows")
    return values


def number_classes(path: Path, values: Array, known: list[int]) -> Array:
    """Labels as 0, 1, …: the place of each value among `known`."""
    places = np.searchsorted(known, values)
    right = np.asarray(known)[np.minimum(places, len(known) - 1)] == values
    require_rows(path, right.all(), f"has labels other than {', '.join(map(str, known))}")
    labels: Array = places.astype(np.uint8)
    return labels


def split_in_order(*sizes: int) -> Array:
    """A split whose parts, numbered from zero, follow one another."""
    return np.repeat(np.arange(len(sizes), dtype=np.uint8), sizes)
