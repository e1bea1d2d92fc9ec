"""From the configuration to the jobs of every figure.

A figure is a folder of stages, `papers/<paper>/<figure>/{release,learn,score,draw}.py`, one block of its paper's
configuration, and a `settings.py` that says what may stand there. This module holds the one against the other and
works out arms, chunks and settings. It knows nothing of Snakemake and imports no stage.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

from replication.engine.checking import Loc, checked, named, unknown
from replication.engine.code import PAPERS
from replication.engine.configuration import Block, Configuration, Strand
from unveil.errors import UnveilError, require

STAGES = ("release", "learn", "score", "draw")


@dataclass(frozen=True)
class Arm:
    """One strand of a stage: what it reads, its settings, and its trials cut into chunks."""

    name: str
    chunks: tuple[range, ...] = ()
    reads: Mapping[str, Sequence[str]] = field(default_factory=dict)
    peeks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    releases: tuple[str, ...] = ()
    settings: Any = None

    @property
    def fields(self) -> Iterator[tuple[str, str]]:
        """Every (data set, field) that the arm's jobs read, in order."""
        for part in (self.reads, self.peeks):
            for dataset, names in part.items():
                yield from ((dataset, name) for name in names)

    def chunk(self, name: str) -> range:
        """The trials of the chunk called `name`."""
        return next(trials for trials in self.chunks if chunk_name(trials) == name)


@dataclass(frozen=True)
class Figure:
    """Everything the rules need to know of one figure."""

    paper: str
    name: str
    trials: int
    release: Mapping[str, Arm]
    learn: Mapping[str, Arm]
    score: Arm
    has_table: bool

    @property
    def datasets(self) -> list[str]:
        """The data sets that any stage reads, in order of first use."""
        arms = [*self.release.values(), *self.learn.values(), self.score]
        return list(dict.fromkeys(dataset for arm in arms for dataset, _ in arm.fields))


def chunk_name(trials: range) -> str:
    """`0000-0004` for trials 0 to 4."""
    return f"{trials[0]:04d}-{trials[-1]:04d}"


def overlapping(arm: Arm, trials: range) -> list[str]:
    """The chunks of `arm` that hold any of `trials`."""
    return [chunk_name(chunk) for chunk in arm.chunks if chunk[0] <= trials[-1] and trials[0] <= chunk[-1]]


def stage_file(paper: str, figure: str, name: str) -> Path:
    """Where the code of a stage stands, or its caption."""
    return PAPERS / paper / figure / name


def plan(config: Mapping[str, Any], known: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], Figure]:
    """The plan of every figure by (paper, figure); `known` are the prepared fields of each data set."""
    run = checked(Configuration, config)
    figures = {}
    for paper, block in run.papers.items():
        _require_known(f"papers.{paper}", paper, _folders(PAPERS), "paper")
        _check_fields(f"papers.{paper}.public", block.public, known)
        for name, figure in block.figures.items():
            where = f"papers.{paper}.figures.{name}"
            _require_known(where, name, _folders(PAPERS / paper), "figure")
            made = _Plan(where, paper, name, figure, run.chunk_factor).figure()
            for arm in [*made.release.values(), *made.learn.values(), made.score]:
                _check_fields(f"{where}: {arm.name}", arm.reads, known)
                _check_fields(f"{where}: {arm.name}", arm.peeks, known)
            seen = leaks(made, block.public)
            require(
                not seen,
                f"configuration, {where}: {'; '.join(seen)}, which the paper does not declare public; "
                "say `peeks` if on purpose",
            )
            figures[paper, name] = made
    return figures


def leaks(figure: Figure, public: Mapping[str, Sequence[str]]) -> list[str]:
    """The prepared fields that a learner reads although the paper does not declare them public."""
    return [
        f"{arm.name} reads {dataset}/{name}"
        for arm in figure.learn.values()
        for dataset, names in arm.reads.items()
        for name in names
        if name not in public.get(dataset, ())
    ]


class _Plan:
    """One figure's block held against the figure's own record of settings."""

    def __init__(self, where: str, paper: str, name: str, block: Block, factor: int) -> None:
        self.where, self.paper, self.name, self.block, self.factor = where, paper, name, block, factor
        self.record = import_module(f"replication.papers.{paper}.{name}.settings").Figure
        self.kinds = {stage: _one(kind) for stage, kind in get_type_hints(self.record).items()}
        for stage in STAGES[:3]:
            there = stage_file(paper, name, f"{stage}.py").is_file()
            require(
                there == (stage in self.kinds) == (stage == "score" or bool(getattr(block, stage))),
                f"configuration, {where}: `{stage}` must stand in the configuration and in settings.py "
                f"exactly when there is a {stage}.py",
            )

    def figure(self) -> Figure:
        """The figure with its arms."""
        block = self.block
        named_arms = {"release": block.release, "learn": block.learn, "score": {"score": block.score}}
        wanted = {name for kind in self.kinds.values() for name in _names(kind)}
        for key in block.settings:
            _require_known(f"{self.where}.settings", key, wanted)
        strands, own = {}, {}
        for stage in self.kinds:
            for arm, content in named_arms[stage].items():
                strands[stage, arm], own[stage, arm] = self._split(stage, arm, content)
        content = {
            stage: {arm: self._given(stage, own[stage, arm]) for arm in named_arms[stage]}
            for stage in self.kinds
        }
        content["score"] = content["score"]["score"]
        record = checked(self.record, content, lambda loc: self._place(loc, own))
        values = {**{stage: getattr(record, stage) for stage in self.kinds}, "score": {"score": record.score}}
        arms = {
            stage: {arm: self._arm(arm, strands[stage, arm], values[stage][arm]) for arm in named_arms[stage]}
            for stage in self.kinds
        }
        for name, learner in arms.get("learn", {}).items():
            for release in learner.releases:
                _require_known(f"{self.where}.learn.{name}.from", release, block.release, "release")
        draw = stage_file(self.paper, self.name, "draw.py")
        return Figure(
            paper=self.paper,
            name=self.name,
            trials=block.trials,
            release=arms.get("release", {}),
            learn=arms.get("learn", {}),
            score=arms["score"]["score"],
            has_table=_defines(draw, "table"),
        )

    def _split(self, stage: str, arm: str, content: Mapping[str, Any]) -> tuple[Strand, dict[str, Any]]:
        """What every arm may say of itself, and this one's own settings."""
        # `from` is a word of Python.
        renamed = {"releases" if key == "from" else key: value for key, value in content.items()}
        common = {entry.name for entry in fields(Strand)}  # type: ignore[arg-type]
        allowed = common & ({"reads"} if stage == "score" else common)
        own = {key: value for key, value in renamed.items() if key not in allowed}
        names = _names(self.kinds[stage])
        for key in own:
            _require_known(self._place((stage, arm), {}), key, (names | allowed | {"from"}) - {"releases"})
        strand = {key: value for key, value in renamed.items() if key in allowed}
        return checked(
            Strand, strand, lambda loc: self._place((stage, arm, *loc), {(stage, arm): strand})
        ), own

    def _given(self, stage: str, own: Mapping[str, Any]) -> dict[str, Any]:
        """The figure's settings that concern a stage, and what an arm of it says instead."""
        names = _names(self.kinds[stage])
        return {**{key: value for key, value in self.block.settings.items() if key in names}, **own}

    def _place(self, loc: Loc, own: Mapping[tuple[str, str], Mapping[str, Any]]) -> str:
        """Where something inside the record of all stages stands in the configuration."""
        stage, *rest = map(str, loc) if loc else ("",)
        arm, inside = ("score", rest) if stage == "score" else (rest[0] if rest else "", rest[1:])
        if inside[:1] == ["score"] and stage == "score":
            inside = inside[1:]
        if inside and inside[0] not in own.get((stage, arm), {}):
            return named((self.where, "settings", *inside))
        return named((self.where, *([stage] if stage == "score" else [stage, arm]), *inside))

    def _arm(self, name: str, strand: Strand, values: Any) -> Arm:
        trials = self.block.trials if strand.trials is None else strand.trials
        require(
            trials <= self.block.trials,
            f"configuration, {self.where}: trials of {name} must be at most the figure's {self.block.trials}",
        )
        default = (name,) if name in self.block.release else ()
        chunk = self.factor * (strand.chunk or self.block.chunk or trials or 1)
        return Arm(
            name=name,
            chunks=tuple(range(first, min(first + chunk, trials)) for first in range(0, trials, chunk)),
            reads=strand.reads,
            peeks=strand.peeks,
            releases=default if strand.releases is None else strand.releases,
            settings=values,
        )


def _one(kind: Any) -> Any:
    """The record of one arm: that of a stage, or what its arms map to."""
    return get_args(kind)[1] if get_args(kind) else kind


def _names(kind: Any) -> set[str]:
    return {entry.name for entry in fields(kind)}


def _defines(file: Path, function: str) -> bool:
    """Whether `file` has a function of that name at its top level."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef) and node.name == function for node in tree.body)


def _folders(place: Path) -> list[str]:
    return [path.parent.name for path in place.glob("*/__init__.py")]


def _require_known(where: str, word: str, known: Any, what: str = "key") -> None:
    if word not in known:
        raise UnveilError(f"configuration, {where}: {unknown(word, known, what)}")


def _check_fields(where: str, reads: Mapping[str, Sequence[str]], known: Mapping[str, Sequence[str]]) -> None:
    for dataset, names in reads.items():
        _require_known(where, dataset, known, "data set")
        for name in names:
            _require_known(f"{where}, {dataset}", name, known[dataset], "field")
