"""What `data/sources.yaml` says, checked strictly: where a data set comes from and how it is verified."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from annotated_types import Len
from pydantic import AfterValidator, BeforeValidator, Field

from replication.engine.checking import checked, named, require_single_keys
from replication.settings import Count, Several, Whole, settings
from unveil.errors import UnveilError, require

Grade = Literal["full", "subset", "stand-in"]
GRADES: tuple[str, ...] = get_args(Grade)
#: Lies beside the sources file: hashes of files that were pinned on first use somewhere, and then looked at.
PINS = "pins.yaml"
KINDS = ("mirror", "url", "package", "folder", "builtin", "synthetic")
_PACKAGE = re.compile(r"pkg:(npm|pypi)/(?P<name>[^@#]+)@(?P<version>[^@#/]+)(?:#(?P<folder>.+))?")


def package_parts(package: str) -> tuple[str, str, str, str]:
    """(type, name, version, folder) of a package URL."""
    match = _PACKAGE.fullmatch(package)
    if match is None:
        raise UnveilError(f"package {package!r} must read pkg:npm/NAME@VERSION#folder or pkg:pypi/NAME@VERSION#folder")
    return match[1], match["name"].replace("%40", "@"), match["version"], match["folder"] or ""


def _below(text: str) -> str:
    require(not text.startswith("/") and ".." not in Path(text).parts, "must stay below its folder")
    return text


Text = Annotated[str, Several]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Below = Annotated[Text, AfterValidator(_below)]
Name = Annotated[str, Field(pattern=r"^[^./][^/]*$")]
Address = Annotated[str, Field(pattern="^https?://[^/]")]
Package = Annotated[str, AfterValidator(lambda text: package_parts(text) and text)]
Counts = dict[Text, Whole]
#: One text may stand for a list of one.
Listed = BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else (value,))


@settings
class Expectation:
    """What a file must show, once unpacked, where its hash is not known beforehand."""

    lines: Count | None = None
    columns: Count | None = None
    separator: Annotated[str, Len(1, 1)] = ","
    contains: Annotated[tuple[Text, ...], Listed] = ()
    counts: Counts = field(default_factory=dict)
    members: Counts = field(default_factory=dict)


@settings
class Wanted:
    """One raw file: what leads to it, and how it is verified."""

    path: Annotated[tuple[Below, ...], Listed, Field(alias="from")] = ()
    sha256: Hash | None = None
    pin: bool = False
    lines: Count | None = None
    expect: Expectation = Expectation()

    def pinned(self, sha256: str) -> Wanted:
        """The same file where its hash is known."""
        return replace(self, pin=False, sha256=sha256)

    def way(self, name: str) -> tuple[str, ...]:
        """Where a file of that name lies, unless stated just there; further steps lead into archives."""
        return self.path or (name,)


@settings
class Source:
    """One place that a data set may come from."""

    grade: Grade
    mirror: Below | None = None
    url: Annotated[tuple[Address, ...], Listed, Several] | None = None
    package: Package | None = None
    folder: Text | None = None
    builtin: Text | None = None
    synthetic: Literal[True] | None = None
    archive: bool = False
    sha256: Hash | None = None
    megabytes: Count = 64
    #: By their names in `data/raw/<dataset>`.
    files: dict[Name, Wanted] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        require(len(kinds) == 1, f"must have exactly one of {', '.join(KINDS)}")
        require(self.url or not self.archive, "archive goes with url")
        require(self.sha256 or not self.package, "lacks the sha256 of the package")
        bare = kinds[0] in ("builtin", "synthetic")
        require(bool(self.files) != bare, f"files must {'not ' * bare}name the files")
        for name, each in self.files.items():
            ways = (each.sha256 is not None) + each.pin + (self.sha256 is not None)
            require(ways == 1, f"files.{name} must be verified one way: its sha256, pin: true, or its package's sha256")
            shown = not each.pin or each.expect != Expectation()
            require(shown, f"files.{name} is pinned on first use, so it needs expect")

    def pinned(self, pins: Mapping[str, str]) -> Source:
        """The same source where these files' hashes are known."""
        known = {
            name: each.pinned(pins[name]) if each.pin and name in pins else each for name, each in self.files.items()
        }
        return replace(self, files=known)

    @property
    def verified(self) -> bool:
        """Whether every file's hash is known beforehand."""
        return not any(each.pin for each in self.files.values())

    @property
    def kind(self) -> str:
        """Which of the six kinds of place it is."""
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def label(self) -> str:
        """The source's name in messages and in provenance: no machine's own path is in it."""
        if self.url:
            return self.url[0]
        if self.package:
            return self.package.partition("#")[0]
        return "synthetic" if self.synthetic else f"{self.kind}:{getattr(self, self.kind)}"

    @property
    def limit(self) -> int:
        """The largest number of bytes that any file of this source may have."""
        return self.megabytes * 1_000_000


@settings
class Dataset:
    """One entry of `data/sources.yaml`."""

    title: str
    licence: str
    fields: Annotated[dict[str, str], Several]
    sources: Annotated[tuple[Source, ...], Several]

    def pinned(self, pins: Mapping[str, str]) -> Dataset:
        """The same data set where these files' hashes are known."""
        return replace(self, sources=tuple(each.pinned(pins) for each in self.sources))

    def __post_init__(self) -> None:
        """Refuse a worse source before a better one."""
        ranks = [GRADES.index(each.grade) for each in self.sources]
        require(ranks == sorted(ranks), f"sources must list better grades first ({', '.join(GRADES)})")


def load(path: Path) -> Mapping[str, Dataset]:
    """All data sets of a sources file; anything unknown, missing or contradictory is an error of one line.

    `pins.yaml` beside it has the hashes that a person has vouched for since: they count like those in the sources.
    """
    content = _content(path)
    require(content != {}, f"{path} names no data set")
    declared = checked(dict[str, Dataset], content, named, str(path))
    vouched = path.with_name(PINS)
    pins = checked(dict[str, dict[str, Hash]], _content(vouched), named, str(vouched)) if vouched.exists() else {}
    return {name: dataset.pinned(pins.get(name, {})) for name, dataset in declared.items()}


def _content(path: Path) -> Any:
    try:
        require_single_keys(path)
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnveilError(f"{path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnveilError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
