"""What `data/sources.yaml` says, checked strictly: where a data set comes from and how it is verified."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Literal, get_args

import yaml
from pydantic import AfterValidator, BeforeValidator, Field

from replication.data.own import find_tables
from replication.data.provenance import digest
from replication.engine.checking import checked, named, require_single_keys
from replication.settings import Count, Several, Whole, settings
from unveil.errors import require

Grade = Literal["full", "subset", "stand-in"]
GRADES: tuple[str, ...] = get_args(Grade)
_PLACE = re.compile(r"(mirror|folder|builtin|table):.+|https?://[^/].*|pkg:(npm|pypi)/[^@#]+@[^@#/]+(#.+)?|synthetic")


def _require_below(text: str) -> str:
    path = Path(text.removeprefix("mirror:"))
    require("://" in text or not (path.is_absolute() or ".." in path.parts), "must stay below its folder")
    return text


def _require_place(text: str) -> str:
    known = "mirror:FOLDER, an address, pkg:npm/NAME@VERSION#FOLDER, pkg:pypi/…, folder:…, builtin:… or synthetic"
    require(_PLACE.fullmatch(text), f"must read {known}")
    return text


Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Text = Annotated[str, Several]
Below = Annotated[Text, AfterValidator(_require_below)]
#: One text may stand for a list of one.
Listed = BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else (value,))


@settings
class Wanted:
    """One raw file: what leads to it (further steps into archives), its hash, or else what it must show unpacked."""

    path: Annotated[tuple[Below, ...], Listed, Field(alias="from")] = ()
    sha256: Hash | None = None
    first: Count | None = None
    lines: Count | None = None
    counts: dict[Text, Whole] = field(default_factory=dict)
    contains: Annotated[tuple[Text, ...], Listed] = ()


@settings
class Source:
    """One place that a data set may come from."""

    place: Annotated[Below, AfterValidator(_require_place), Field(alias="from")]
    grade: Grade
    archive: bool = False
    sha256: Hash | None = None
    megabytes: Count = 64
    #: By their names in `data/raw/<dataset>`.
    files: dict[Annotated[str, Field(pattern=r"^[^./][^/]*$")], Wanted] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what contradicts itself, and write out that a file lies under its own name unless stated."""
        bare = self.kind in ("builtin", "synthetic")
        require(bool(self.files) != bare, f"files must {'not ' * bare}name the files")
        require(self.kind.startswith("http") or not self.archive, "archive goes with an address")
        require(self.kind != "pkg" or self.sha256, "lacks the sha256 of the package")
        for name, each in self.files.items():
            known = each.sha256 or self.sha256 or each.lines or each.counts or each.contains
            require(known, f"files.{name} must be verified: by its sha256, or by lines, counts or contains")
            self.files[name] = replace(each, path=each.path or (name,))

    @property
    def kind(self) -> str:
        """What leads to it: mirror, http(s), pkg, folder, builtin, table or synthetic."""
        return self.place.partition(":")[0]

    @property
    def label(self) -> str:
        """The source's name in messages and in provenance: no machine's own path is in it."""
        return self.place.partition("#")[0]

    @property
    def limit(self) -> int:
        """The largest number of bytes that any file of this source may have."""
        return self.megabytes * 1_000_000

    @property
    def unverified(self) -> list[str]:
        """The files whose hash nobody knows beforehand."""
        return [name for name, each in self.files.items() if not (each.sha256 or self.sha256)]

    @property
    def stated_grade(self) -> str:
        """What the data is, and whether anybody knew its hash beforehand."""
        return f"{self.grade}, unverified" if self.unverified else self.grade


@settings
class Dataset:
    """One entry of `data/sources.yaml`."""

    title: str
    licence: str
    fields: Annotated[dict[str, str], Several]
    sources: Annotated[tuple[Source, ...], Several]

    def __post_init__(self) -> None:
        """Refuse a worse source before a better one."""
        ranks = [GRADES.index(each.grade) for each in self.sources]
        require(ranks == sorted(ranks), f"sources must list better grades first ({', '.join(GRADES)})")


def load(path: Path) -> Mapping[str, Dataset]:
    """All data sets of a sources file, and one's own; anything unknown or contradictory is an error of one line."""
    require_single_keys(path)
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    require(content != {}, f"{path} names no data set")
    declared = checked(dict[str, Dataset], content, named, str(path))
    for name, table, fields in find_tables():
        require(name not in declared, f"{table}: there is a data set of this name; rename the file")
        # The figures' paper had others: what is seen on it counts neither for nor against.
        files = {table.name: Wanted(sha256=digest(table))}
        source = Source(place=f"table:{table.name}", grade="stand-in", megabytes=4000, files=files)
        declared[name] = Dataset(title=f"{name}, a table of one's own", licence="", fields=fields, sources=(source,))
    return declared
