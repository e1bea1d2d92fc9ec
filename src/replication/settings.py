"""What a figure's `settings.py` is written in: frozen records whose every leaf has a type.

A figure declares one record a stage and, in `Figure`, the arms of each stage. The configuration is checked against
them before any job starts (see `replication.engine.checking`); a stage gets its own record and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, dataclass_transform

from annotated_types import Ge, Gt, Le, Lt, MinLen

T = TypeVar("T")

# Whole numbers stay whole: a level of 1 is written as 1.
Real = int | float
Positive = Annotated[int | float, Gt(0)]
NotNegative = Annotated[int | float, Ge(0)]
Share = Annotated[int | float, Gt(0), Le(1)]
Probability = Annotated[int | float, Ge(0), Le(1)]
Inside = Annotated[int | float, Gt(0), Lt(1)]
Whole = Annotated[int, Ge(0)]
Count = Annotated[int, Ge(1)]
Several = MinLen(1)

#: Fields by data set: what a job reads.
Reads = dict[str, tuple[str, ...]]


@dataclass_transform(frozen_default=True, kw_only_default=True)
def settings(record: type[T]) -> type[T]:
    """A frozen record without positional fields, which admits no key and no type that it does not name."""
    made: Any = dataclass(frozen=True, kw_only=True)(record)
    made.__pydantic_config__ = {"extra": "forbid", "strict": True}
    return made  # type: ignore[no-any-return]


@settings
class Nothing:
    """The settings of a stage that has none."""
