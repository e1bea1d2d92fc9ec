"""What may stand in the configuration whatever the figure; of a figure, its own `settings.py` says the rest."""

from __future__ import annotations

from dataclasses import field
from itertools import combinations
from os.path import normpath
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge, Le, Lt

from replication.settings import Count, Distinct, Reads, Text, Whole, settings
from unveil.errors import require

#: Folders of the project that no run writes to.
_TAKEN = ("config", "data", "docs", "envs", "profiles", "src", "tests", "tools", "workflow")
#: What Snakemake or a shell would read as something else in a path; and the longest name of a folder.
_SPECIAL, _LONGEST = """{}*?[]:;,|&<>$`'"\\""", 100
#: More trials than anybody has time for: each is a line in the plan, and numbered with four digits.
_MOST_TRIALS = 10_000


@settings
class Folders:
    """Where a run writes: three folders of its own inside the project."""

    results: Text
    figures: Text
    logs: Text

    def __post_init__(self) -> None:
        """Refuse folders that leave the project, belong to it, or lie in one another."""
        paths = {name: Path(normpath(getattr(self, name))) for name in ("results", "figures", "logs")}
        for name, path in paths.items():
            inside = not path.is_absolute() and path.parts and path.parts[0] != ".."
            require(inside, f"{name} must lie inside the project, not at {path}")
            free = path.parts[0] not in _TAKEN and not path.parts[0].startswith(".")
            require(free, f"{name} must not lie in the project's own {path.parts[0]}")
            plain = not set(str(path)) & set(_SPECIAL) and all(len(part) <= _LONGEST for part in path.parts)
            require(plain, f"{name} must be a folder of plain short names, without any of {_SPECIAL}")
            file = next((place for place in (path, *path.parents) if place.is_file()), None)
            require(file is None, f"{name} must be a folder, and {file} is a file")
        for (name, path), (other, place) in combinations(paths.items(), 2):
            apart = not path.is_relative_to(place) and not place.is_relative_to(path)
            require(apart, f"{name} and {other} must not lie in one another")


@settings
class Strand:
    """What every arm may say of itself, whatever its stage."""

    reads: Reads = field(default_factory=dict)
    peeks: Reads = field(default_factory=dict)
    releases: Distinct[str] | None = None
    chunk: Count | None = None


@settings
class Block:
    """A figure in the configuration; what it sets is checked against the figure's own record."""

    extends: str | None = None
    trials: Annotated[Whole, Le(_MOST_TRIALS)] | None = None
    chunk: Count | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    release: dict[str, dict[str, Any]] = field(default_factory=dict)
    learn: dict[str, dict[str, Any]] = field(default_factory=dict)
    score: dict[str, Any] = field(default_factory=dict)

    def over(self, base: Block) -> Block:
        """The block laid over the one that it extends: setting by setting, of each stage the arms it names, or all."""
        release, learn = (
            {name: {**old.get(name, {}), **new.get(name, {})} for name in new or old}
            for old, new in ((base.release, self.release), (base.learn, self.learn))
        )
        return Block(
            trials=base.trials if self.trials is None else self.trials,
            chunk=base.chunk if self.chunk is None else self.chunk,
            settings={**base.settings, **self.settings},
            release=release,
            learn=learn,
            score={**base.score, **self.score},
        )


@settings
class Paper:
    """A paper in the configuration."""

    public: Reads
    figures: dict[str, Block]


@settings
class Configuration:
    """All of it."""

    seed: Annotated[int, Ge(0), Lt(2**64)]
    chunk_factor: Count = 1
    mirror: Text | None
    wsj: Text | None
    allow_stand_in: bool = False
    folders: Folders
    include: Distinct[Text]
    guarantees: dict[str, Any] | None = None
    multiverse: dict[str, Any] | None = None
    papers: dict[str, Paper]
