"""The configuration against the types of what it sets: one line that names the place and the nearest known word."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

import yaml
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from unveil.errors import UnveilError, require

T = TypeVar("T")
Loc = tuple[int | str, ...]
#: libyaml where it is there: a tenth of the time.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: More values than that, once aliases are written out, or more levels are no configuration.
_LARGEST, _DEEPEST = 1_000_000, 100
_adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)


def require_single_keys(path: Path) -> None:
    """Refuse a YAML file that says one thing twice (the reader would take the last one in silence), or without end."""
    try:
        text = path.read_text(encoding="utf-8")
        _require_shallow(text, path)
        _values(yaml.compose(text, Loader=_LOADER), path, {})
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        hint = "; if it is a target, write `--` before it" if "figures" in path.parts or "results" in path.parts else ""
        said = error.strerror if isinstance(error, OSError) else "it is not YAML"
        raise UnveilError(f"{path} cannot be read: {said}{hint}") from error


def _require_shallow(text: str, path: Path) -> None:
    """A reader that calls itself for every level would end the process."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        require(depth <= _DEEPEST, f"{path}: nothing is nested in more than {_DEEPEST} levels")


def _values(node: yaml.Node | None, path: Path, known: dict[int, int]) -> int:
    """How many values a node stands for with its aliases written out, each mapping checked for its keys."""
    if node is None or isinstance(node, yaml.ScalarNode):
        return 1
    where = f"{path}, line {node.start_mark.line + 1}"
    if id(node) in known:
        require(known[id(node)] > 0, f"{where}: an alias refers to what it stands in")
        return known[id(node)]
    known[id(node)] = 0  # while it is looked into
    seen: set[str] = set()
    for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
        line = f"{path}, line {key.start_mark.line + 1}"
        require(isinstance(key, yaml.ScalarNode), f"{line}: a key must be a single word")
        require(key.value not in seen, f"{line}: the key '{key.value}' stands there twice")
        seen.add(key.value)
    inner = (part for item in node.value for part in (item if isinstance(item, tuple) else (item,)))
    known[id(node)] = count = 1 + sum(_values(part, path, known) for part in inner)
    require(count <= _LARGEST, f"{where}: with its aliases written out it holds more than {_LARGEST:,} values")
    return count


def named(loc: Loc) -> str:
    """A place in the configuration, with dots."""
    return ".".join(map(str, loc)) or "top level"


def checked(kind: type[T], content: Any, place: Callable[[Loc], str] = named, source: str = "configuration") -> T:
    """`content` as a value of type `kind`; `place` says where in its `source` something inside it stands."""
    try:
        # By way of JSON, whose strict reading admits no text for numbers but objects for records.
        return cast(T, _adapter(cast(Any, kind)).validate_json(json.dumps(content, default=_refuse)))
    except ValidationError as error:
        line = _line(kind, _worst(error.errors(include_url=False)), place)
        raise UnveilError(" ".join(f"{source}, {line}".split())) from None
    except (TypeError, ValueError) as error:
        raise UnveilError(f"{source}: {error}") from None


def _refuse(value: object) -> None:
    """YAML reads dates, sets and bytes, of which no setting is one."""
    raise UnveilError(f"{str(value)!r:.60} is neither a number nor text; if text is meant, put it in quotes")


def within(*steps: str) -> Callable[[Loc], str]:
    """Places inside a part of the configuration."""
    return lambda loc: named((*steps, *loc))


def unknown(word: object, known: Iterable[str], what: str = "key") -> str:
    """A word that nobody knows, and the nearest that somebody does."""
    names = sorted(known)
    near = get_close_matches(str(word), names, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names) or 'none'}"
    # On one line, and shown as text: whatever stood in the file.
    return f"unknown {what} {str(word)!r:.60}; {hint}"


def _worst(errors: Sequence[ErrorDetails]) -> ErrorDetails:
    """What to say first: a word that is not known explains another that is missing."""
    order = ("unexpected_keyword_argument", "literal_error")
    return min(errors, key=lambda error: order.index(error["type"]) if error["type"] in order else len(order))


def _line(kind: Any, error: ErrorDetails, place: Callable[[Loc], str]) -> str:
    *parents, last = loc = error["loc"] or ("",)
    match error["type"]:
        case "unexpected_keyword_argument":
            return f"{place(tuple(parents))}: {unknown(last, _keys(kind, parents))}"
        case "literal_error":
            choices = re.findall(r"'([^']*)'", error["ctx"]["expected"]) or [error["ctx"]["expected"]]
            if last == "[key]":
                return f"{place(tuple(parents[:-1]))}: {unknown(parents[-1], choices)}"
            return f"{place(loc)}: {unknown(error['input'], choices, 'choice')}"
        case "missing":
            return f"{place(tuple(parents))}: the setting '{last}' is missing"
    said = error["msg"].removeprefix("Value error, ")
    found = "" if error["type"] == "value_error" else f", not {error['input']!r:.60}"
    return f"{place(error['loc'])}: {said[0].lower()}{said[1:]}{found}"


def _keys(kind: Any, loc: Iterable[int | str]) -> set[str]:
    """What may stand in the record at `loc` inside a value of type `kind`."""
    kinds = [kind]
    for step in loc:
        kinds = [inner for outer in kinds for inner in _inside(outer, step)]
    records = [inner for inner in kinds if is_dataclass(inner)]
    return {key for record in records for key in _adapter(cast(Any, record)).json_schema()["properties"]}


def _inside(kind: Any, step: int | str) -> list[Any]:
    """The types that something called `step` inside a value of type `kind` may have."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return _choices(hints[step]) if step in hints else [kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is not None and issubclass(origin, Mapping):
        return _choices(inner[1])
    return _choices(inner[0]) if origin is tuple else [kind]


def _choices(kind: Any) -> list[Any]:
    """The members of a union, or the type itself."""
    return list(get_args(kind)) if get_origin(kind) not in (None, dict, tuple) else [kind]
