"""What a figure's `settings.py` is written in: frozen records whose every leaf has a type.

A figure declares one record a stage and, in `Figure`, the arms of each stage. The configuration is checked against
them before any job starts (see `replication.engine.checking`); a stage gets its own record and nothing else.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import inf
from pathlib import Path
from typing import Annotated, Any, TypeVar, dataclass_transform, get_args

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen

from unveil.errors import require

T = TypeVar("T")


@dataclass(frozen=True)
class Where:
    """What a value must keep that no bound says: `Annotated[str, Where(str.isprintable, "must be printable")]`."""

    rule: Callable[[Any], bool]
    said: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """What the configuration is checked by."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(self.keep, handler(source))

    def keep(self, value: T) -> T:
        """The value, if it keeps the rule."""
        require(self.rule(value), self.said)
        return value


# Whole numbers stay whole: a level of 1 is written as 1. Every bound keeps NaN out, and what overflows.
Real = Annotated[int | float, Ge(-1e12), Le(1e12)]
Positive = Annotated[int | float, Ge(1e-12), Le(1e12)]
NotNegative = Annotated[int | float, Ge(0), Le(1e12)]
_IN_USE = Where(lambda level: 1e-6 <= level <= 1e6 or level == inf, "a level is 1e-6 to 1e6, or .inf")
#: Of privacy; at infinity there is no noise.
Level = Annotated[int | float, _IN_USE]
Share = Annotated[int | float, Ge(1e-12), Le(1)]
Probability = Annotated[int | float, Ge(0), Le(1)]
Inside = Annotated[int | float, Ge(1e-12), Lt(1)]
#: The chance that a bit is reported as the other one: at a half nothing is left of it, above it is the other one.
Flip = Annotated[int | float, Gt(0), Lt(0.5)]
FlipOrNone = Annotated[int | float, Ge(0), Lt(0.5)]
#: What a run holds in memory, and what it only reckons with.
Whole = Annotated[int, Ge(0), Le(10**12)]
Count = Annotated[int, Ge(1), Le(10**6)]
Large = Annotated[int, Ge(1), Le(10**12)]
Folds = Annotated[int, Ge(2), Le(100)]
#: Points of a grid with two ends, states of a value, classes of a label.
Steps = Annotated[int, Ge(2), Le(10**5)]
Several = MinLen(1)
Text = Annotated[str, Several, MaxLen(1000), Where(str.isprintable, "must have printable characters only")]

_EACH_ONCE = Where(lambda values: len(set(values)) == len(values), "must name each value once")
#: Values each of which is taken in turn: none twice, and in a grid at least one.
Distinct = Annotated[tuple[T, ...], _EACH_ONCE]
Grid = Annotated[tuple[T, ...], Several, _EACH_ONCE]
_UPWARDS = Where(lambda values: [*values] == sorted({*values}), "must rise from value to value")
Rising = Annotated[tuple[T, ...], Several, _UPWARDS]

#: Fields by data set: what a job reads.
Reads = dict[str, Grid[str]]


@dataclass_transform(frozen_default=True, kw_only_default=True)
def settings(record: type[T]) -> type[T]:
    """A frozen record without positional fields, which admits no key and no type that it does not name."""
    made: Any = dataclass(frozen=True, kw_only=True)(record)
    made.__pydantic_config__ = {"extra": "forbid", "strict": True}
    return made  # type: ignore[no-any-return]


@settings
class Nothing:
    """The settings of a stage that has none."""


@dataclass(frozen=True)
class OneOf:
    """A name that a table of another module declares: `Annotated[str, OneOf("papers.spread.fig3.learn", "METHODS")]`.

    Without a table, the name of a module of that package.
    It is read off the source: a plan imports no estimator, and no stage hangs on the code behind a setting's name.
    """

    module: str
    table: str = ""
    also: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """All that may be said."""
        names = [*self.also, *table_names(self.module, self.table)]
        return [name for name in names if name not in self.without]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """What the configuration is checked by, which says what is near a name that is not known."""
        from pydantic_core import core_schema

        return core_schema.literal_schema(self.names)


def choices(kind: Any) -> list[str]:
    """The names that a `Literal` or a `OneOf` admits."""
    tables = [part for part in get_args(kind) if isinstance(part, OneOf)]
    return tables[0].names if tables else list(get_args(kind))


@cache
def table_names(module: str, table: str) -> tuple[str, ...]:
    """The keys of a table that stands in a module of this package as a literal; or the modules of a package."""
    place = Path(__file__).parent.joinpath(*module.split("."))
    if not table:
        return tuple(sorted(path.stem for path in place.glob("[a-z]*.py")))
    tree = ast.parse(place.with_suffix(".py").read_text(encoding="utf-8"))
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys)) if name == table:
                return tuple(key.value for key in keys)  # type: ignore[union-attr]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict(keys=keys)) if name == table:
                return tuple(key.value for key in keys)  # type: ignore[union-attr]
    raise LookupError(f"{module} has no table {table}")


def own_tables() -> list[Path]:
    """Tables of one's own, each a data set by the name of its file."""
    return sorted((Path(__file__).parents[2] / "data" / "tables").glob("[a-z]*.csv"))


#: Their names.
OWN = tuple(path.stem for path in own_tables())
#: A data set that can be prepared.
Dataset = Annotated[str, OneOf("data.sets", also=OWN)]
