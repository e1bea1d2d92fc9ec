"""What `data/sources.yaml` says, checked strictly: where a data set comes from and how it is verified."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from unveil.errors import UnveilError, require

GRADES = ("full", "subset", "stand-in")
KINDS = ("mirror", "url", "package", "folder", "builtin", "synthetic")
MEGABYTE = 1_000_000
_HASH = re.compile(r"[0-9a-f]{64}")
_PACKAGE = re.compile(r"pkg:(npm|pypi)/(?P<name>[^@#]+)@(?P<version>[^@#/]+)(?:#(?P<folder>.+))?")


@dataclass(frozen=True)
class Expectation:
    """What a file must show, once unpacked, where its hash is not known beforehand."""

    lines: int | None = None
    columns: int | None = None
    separator: str = ","
    contains: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    members: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Wanted:
    """One raw file: its name in `data/raw/<dataset>`, the path that leads to it, and how it is verified."""

    name: str
    path: tuple[str, ...]
    sha256: str | None
    pin: bool
    lines: int | None
    expect: Expectation


@dataclass(frozen=True)
class Source:
    """One place that a data set may come from."""

    grade: str
    kind: str
    where: tuple[str, ...]
    archive: bool
    sha256: str | None
    megabytes: int
    files: tuple[Wanted, ...]

    @property
    def label(self) -> str:
        """The source's name in messages and in provenance: no machine's own path is in it."""
        return {
            "url": self.where[0],
            "package": self.where[0].partition("#")[0],
            "synthetic": "synthetic",
        }.get(self.kind, f"{self.kind}:{self.where[0]}")

    @property
    def limit(self) -> int:
        """The largest number of bytes that any file of this source may have."""
        return self.megabytes * MEGABYTE


@dataclass(frozen=True)
class Dataset:
    """One entry of `data/sources.yaml`."""

    name: str
    title: str
    licence: str
    fields: Mapping[str, str]
    sources: tuple[Source, ...]


def load(path: Path) -> dict[str, Dataset]:
    """All data sets of a sources file; anything unknown, missing or contradictory is an error of one line."""
    return {name: _dataset(name, entry, f"{path}: {name}") for name, entry in _read(path).items()}


def package_parts(package: str) -> tuple[str, str, str, str]:
    """(type, name, version, folder) of a package URL."""
    match = _PACKAGE.fullmatch(package)
    if match is None:
        raise UnveilError(
            f"package {package!r} must read pkg:npm/NAME@VERSION#folder or pkg:pypi/NAME@VERSION#folder"
        )
    return match[1], match["name"].replace("%40", "@"), match["version"], match["folder"] or ""


def _read(path: Path) -> dict[str, Any]:
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnveilError(f"{path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnveilError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    require(isinstance(content, dict) and content, f"{path} must map data sets to their sources")
    return content  # type: ignore[no-any-return]


def _checked(entry: object, at: str, needed: set[str], allowed: set[str]) -> dict[str, Any]:
    """The mapping `entry`, once its keys are known to be right."""
    if not isinstance(entry, dict):
        raise UnveilError(f"{at} must be a mapping, not {entry!r}")
    unknown = sorted(map(str, set(entry) - needed - allowed))
    require(
        not unknown,
        f"{at} has the unknown key {', '.join(unknown)}; known are {', '.join(sorted(needed | allowed))}",
    )
    missing = sorted(needed - set(entry))
    require(not missing, f"{at} lacks {', '.join(missing)}")
    return entry


def _dataset(name: str, entry: object, at: str) -> Dataset:
    keys = {"title", "licence", "fields", "sources"}
    known = _checked(entry, at, keys, set())
    for key in ("title", "licence"):
        require(isinstance(known[key], str), f"{at}.{key} must be text")
    described = known["fields"]
    require(
        isinstance(described, dict) and described and all(isinstance(v, str) for v in described.values()),
        f"{at}.fields must map each field to one line about it",
    )
    listed = known["sources"]
    require(isinstance(listed, list) and listed, f"{at}.sources must be a list of at least one source")
    found = tuple(_source(each, f"{at}.sources[{number}]") for number, each in enumerate(listed))
    ranks = [GRADES.index(each.grade) for each in found]
    require(ranks == sorted(ranks), f"{at}.sources must list better grades first ({', '.join(GRADES)})")
    return Dataset(name, known["title"], known["licence"], described, found)


def _source(entry: object, at: str) -> Source:
    known = _checked(entry, at, {"grade"}, {*KINDS, "archive", "sha256", "megabytes", "files"})
    require(known["grade"] in GRADES, f"{at}.grade must be one of {', '.join(GRADES)}")
    kinds = [kind for kind in KINDS if kind in known]
    require(len(kinds) == 1, f"{at} must have exactly one of {', '.join(KINDS)}")
    kind = kinds[0]
    where = _texts(known[kind], f"{at}.{kind}") if kind != "synthetic" else ("synthetic",)
    require(kind == "url" or len(where) == 1, f"{at}.{kind} must be one text")
    _place(kind, where, at)
    archive, megabytes = known.get("archive", False), known.get("megabytes", 64)
    require(
        isinstance(archive, bool) and (kind == "url" or not archive),
        f"{at}.archive must be true or false, and goes with url",
    )
    require(isinstance(megabytes, int) and megabytes > 0, f"{at}.megabytes must be a positive whole number")
    sha256 = _hash(known, at)
    require((sha256 is not None) >= (kind == "package"), f"{at} lacks the sha256 of the package")
    bare = kind in ("builtin", "synthetic")
    listed = known.get("files", {})
    require(
        isinstance(listed, dict) and bool(listed) != bare, f"{at}.files must {'not ' * bare}name the files"
    )
    files = tuple(
        _wanted(str(name), each, f"{at}.files.{name}", sha256 is not None) for name, each in listed.items()
    )
    return Source(known["grade"], kind, where, archive, sha256, megabytes, files)


def _place(kind: str, where: tuple[str, ...], at: str) -> None:
    if kind == "package":
        package_parts(where[0])
    if kind == "url":
        require(
            all(re.match(r"https?://[^/]", each) for each in where),
            f"{at}.url must be http or https addresses",
        )
    if kind == "mirror":
        require(_inside(where), f"{at}.mirror must stay below the mirror")


def _inside(paths: tuple[str, ...]) -> bool:
    return all(not part.startswith("/") and ".." not in Path(part).parts for part in paths)


def _wanted(name: str, entry: object, at: str, verified: bool) -> Wanted:
    known = _checked(entry, at, set(), {"from", "sha256", "pin", "lines", "expect"})
    require(Path(name).name == name and not name.startswith("."), f"{at} must be a plain file name")
    path = _texts(known.get("from", name), f"{at}.from")
    require(_inside(path), f"{at}.from must stay below its folder")
    sha256, pin, lines = _hash(known, at), known.get("pin", False), known.get("lines")
    require(isinstance(pin, bool), f"{at}.pin must be true or false")
    require(
        (sha256 is not None) + pin + verified == 1,
        f"{at} must be verified one way: its sha256, pin: true, or its package's sha256",
    )
    require(
        lines is None or (isinstance(lines, int) and lines > 0), f"{at}.lines must be a positive whole number"
    )
    require(not pin or "expect" in known, f"{at} is pinned on first use, so it needs expect")
    return Wanted(name, path, sha256, pin, lines, _expectation(known.get("expect", {}), f"{at}.expect"))


def _expectation(entry: object, at: str) -> Expectation:
    known = _checked(entry, at, set(), {"lines", "columns", "separator", "contains", "counts", "members"})
    for key in ("lines", "columns"):
        number = known.get(key)
        require(
            number is None or (isinstance(number, int) and number > 0),
            f"{at}.{key} must be a positive whole number",
        )
    for key in ("counts", "members"):
        counts = known.get(key, {})
        right = (
            isinstance(counts, dict)
            and all(isinstance(n, int) and n >= 0 for n in counts.values())
            and all(counts)
        )
        require(right, f"{at}.{key} must map texts to how often they occur")
    separator = known.get("separator", ",")
    require(isinstance(separator, str) and len(separator) == 1, f"{at}.separator must be one character")
    contains = _texts(known["contains"], f"{at}.contains") if "contains" in known else ()
    return Expectation(**{**known, "contains": contains})


def _texts(entry: object, at: str) -> tuple[str, ...]:
    listed = entry if isinstance(entry, list) else [entry]
    require(
        listed and all(isinstance(each, str) and each for each in listed),
        f"{at} must be a text or a list of texts",
    )
    return tuple(listed)


def _hash(known: Mapping[str, Any], at: str) -> str | None:
    value = known.get("sha256")
    require(
        value is None or (isinstance(value, str) and _HASH.fullmatch(value)),
        f"{at}.sha256 must be 64 hexadecimal digits",
    )
    return value
