"""What `data/sources.yaml` says, checked strictly: where a data set comes from and how it is verified."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self, get_args

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveInt,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from unveil.errors import UnveilError, require

Grade = Literal["full", "subset", "stand-in"]
GRADES: tuple[str, ...] = get_args(Grade)
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


def _listed(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value if isinstance(value, tuple) else (value,)


Text = Annotated[str, Field(min_length=1)]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Below = Annotated[Text, AfterValidator(_below)]
Name = Annotated[str, Field(pattern=r"^[^./][^/]*$")]
Address = Annotated[str, Field(pattern="^https?://[^/]")]
Counts = dict[Text, NonNegativeInt]
Listed = BeforeValidator(_listed)


class _Entry(BaseModel):
    """A mapping of the file: known keys only, and nothing is converted."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid", validate_by_name=True, validate_by_alias=True)


class Expectation(_Entry):
    """What a file must show, once unpacked, where its hash is not known beforehand."""

    lines: PositiveInt | None = None
    columns: PositiveInt | None = None
    separator: Annotated[str, Field(min_length=1, max_length=1)] = ","
    contains: Annotated[tuple[Text, ...], Listed] = ()
    counts: Counts = {}
    members: Counts = {}


class Wanted(_Entry):
    """One raw file: what leads to it, and how it is verified."""

    path: Annotated[tuple[Below, ...], Listed, Field(alias="from")] = ()
    sha256: Hash | None = None
    pin: bool = False
    lines: PositiveInt | None = None
    expect: Expectation = Expectation()

    def way(self, name: str) -> tuple[str, ...]:
        """Where a file of that name lies, unless stated just there; further steps lead into archives."""
        return self.path or (name,)


class Source(_Entry):
    """One place that a data set may come from."""

    grade: Grade
    mirror: Below | None = None
    url: Annotated[tuple[Address, ...], Listed, Field(min_length=1)] | None = None
    package: Annotated[str, AfterValidator(lambda text: package_parts(text) and text)] | None = None
    folder: Text | None = None
    builtin: Text | None = None
    synthetic: Literal[True] | None = None
    archive: bool = False
    sha256: Hash | None = None
    megabytes: PositiveInt = 64
    #: By their names in `data/raw/<dataset>`.
    files: dict[Name, Wanted] = {}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        kinds = [kind for kind in KINDS if getattr(self, kind) is not None]
        require(len(kinds) == 1, f"must have exactly one of {', '.join(KINDS)}")
        require(self.url or not self.archive, "archive goes with url")
        require(self.sha256 or not self.package, "lacks the sha256 of the package")
        bare = kinds[0] in ("builtin", "synthetic")
        require(bool(self.files) != bare, f"files must {'not ' * bare}name the files")
        for name, each in self.files.items():
            ways = (each.sha256 is not None) + each.pin + (self.sha256 is not None)
            require(ways == 1, f"files.{name} must be verified one way: its sha256, pin: true, or its package's sha256")
            require(
                not each.pin or each.expect != Expectation(), f"files.{name} is pinned on first use, so it needs expect"
            )
        return self

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


class Dataset(_Entry):
    """One entry of `data/sources.yaml`."""

    name: str
    title: str
    licence: str
    fields: Annotated[dict[str, str], Field(min_length=1)]
    sources: Annotated[tuple[Source, ...], Listed, Field(min_length=1)]

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        ranks = [GRADES.index(each.grade) for each in self.sources]
        require(ranks == sorted(ranks), f"sources must list better grades first ({', '.join(GRADES)})")
        return self


def load(path: Path) -> Mapping[str, Dataset]:
    """All data sets of a sources file; anything unknown, missing or contradictory is an error of one line."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnveilError(f"{path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UnveilError(f"{path} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict) or not content:
        raise UnveilError(f"{path} must map data sets to their sources")
    return {str(name): _dataset(path, str(name), entry) for name, entry in content.items()}


def _dataset(path: Path, name: str, entry: object) -> Dataset:
    try:
        return Dataset.model_validate({**entry, "name": name} if isinstance(entry, dict) else entry)
    except ValidationError as error:
        slips = (f"{'.'.join(map(str, (name, *each['loc'])))}: {_said(each)}" for each in error.errors())
        raise UnveilError(" ".join(f"{path}: {'; '.join(slips)}".split())) from error


def _said(slip: ErrorDetails) -> str:
    """What is wrong, with what stands there."""
    found = "" if isinstance(slip["input"], dict) else f", not {str(slip['input'])[:60]!r}"
    return slip["msg"].removeprefix("Value error, ") + found
