"""From the configuration to the jobs of every figure.

A figure is a folder of stages, `papers/<paper>/<figure>/{release,learn,score,draw}.py`, one block of its paper's
configuration, and a `settings.py` that says what may stand there. What it lacks it takes from the figure that it
`extends`. This module holds the one against the other and works out arms, chunks and settings. It knows nothing of
Snakemake and imports no stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any, get_args, get_type_hints

from replication.engine.checking import Loc, checked, named, unknown, within
from replication.engine.code import PAPERS
from replication.engine.schema import Block, Configuration, Strand
from replication.settings import Nothing, choices
from unveil.errors import UnveilError, require

#: The stages that a figure may have code for, and what any arm may say of itself.
STAGES = ("release", "learn", "score")
_STRAND = {"reads", "peeks", "from", "chunk"}


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
        for dataset, names in (*self.reads.items(), *self.peeks.items()):
            yield from ((dataset, name) for name in names)

    def chunk(self, name: str) -> range:
        """The trials of the chunk called `name`."""
        return next(trials for trials in self.chunks if chunk_name(trials) == name)


@dataclass(frozen=True)
class Figure:
    """Everything the rules need to know of one figure."""

    paper: str
    name: str
    folders: tuple[str, ...]
    trials: int
    release: Mapping[str, Arm]
    learn: Mapping[str, Arm]
    score: Arm

    def module(self, stage: str) -> str:
        """The module of a stage: the figure's own, or that of a figure that it extends."""
        return stage_module(self.paper, self.folders, stage)

    @property
    def arms(self) -> dict[str, Arm]:
        """Every arm by its place in the figure's block, the owner's first."""
        both = (("release", self.release), ("learn", self.learn))
        return {f"{stage}.{name}": arm for stage, arms in both for name, arm in arms.items()} | {"score": self.score}

    @property
    def stages(self) -> list[str]:
        """The stages that the figure has, in their order; its drawing is another job's."""
        return ["release"] * bool(self.release) + ["learn"] * bool(self.learn) + ["score"]

    @property
    def is_whole(self) -> bool:
        """Whether no arm's trials are cut: then all stages of the figure are one job."""
        return all(len(arm.chunks) <= 1 for arm in (*self.release.values(), *self.learn.values()))

    @property
    def datasets(self) -> list[str]:
        """The data sets that any stage reads, in order of first use."""
        return list(dict.fromkeys(dataset for arm in self.arms.values() for dataset, _ in arm.fields))


def chunk_name(trials: range) -> str:
    """`0000-0004` for trials 0 to 4."""
    return f"{trials[0]:04d}-{trials[-1]:04d}"


def overlapping(arm: Arm, trials: range) -> list[range]:
    """The chunks of `arm` that hold any of `trials`."""
    return [chunk for chunk in arm.chunks if chunk[0] <= trials[-1] and trials[0] <= chunk[-1]]


def stage_file(paper: str, folders: Sequence[str], name: str) -> Path:
    """Where the code of a stage stands, or the caption: in the first of a figure's folders that has one, or should."""
    files = [PAPERS / paper / folder / name for folder in folders]
    return next((file for file in files if file.is_file()), files[0])


def stage_module(paper: str, folders: Sequence[str], stage: str) -> str:
    """The same as the name of a module."""
    return f"replication.papers.{paper}.{stage_file(paper, folders, f'{stage}.py').parent.name}.{stage}"


def extending(blocks: Mapping[str, Mapping[str, Any]], name: str) -> list[str]:
    """A figure and those that it extends, the nearest first, by their blocks in a configuration that was checked."""
    line = [name]
    while base := blocks[line[-1]].get("extends"):
        line.append(base)
    return line


def plan(config: Mapping[str, Any], known: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], Figure]:
    """The plan of every figure by (paper, figure); `known` are the prepared fields of each data set."""
    run = checked(Configuration, config)
    figures = {}
    _require_known("papers", run.papers, papers(), "paper")
    for paper, block in run.papers.items():
        _check_fields(f"papers.{paper}.public", block.public, known)
        _require_known(f"papers.{paper}.figures", block.figures, figures_of(paper), "figure")
        for name, own in block.figures.items():
            where = f"papers.{paper}.figures.{name}"
            figure = _figure(where, paper, _lineage(where, name, block.figures), own, run.chunk_factor)
            for place, arm in figure.arms.items():
                _check_fields(f"{where}.{place}.reads", arm.reads, known)
                _check_fields(f"{where}.{place}.peeks", arm.peeks, known)
            seen = "; ".join(_leaks(figure, block.public))
            advice = "which the paper does not declare public; say `peeks` if on purpose"
            require(not seen, f"configuration, {where}: {seen}, {advice}")
            figures[paper, name] = figure
    return figures


def _leaks(figure: Figure, public: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The prepared fields that a learner reads although the paper does not declare them public."""
    for arm in figure.learn.values():
        for dataset, names in arm.reads.items():
            private = [name for name in names if name not in public.get(dataset, ())]
            yield from (f"{arm.name} reads {dataset}/{name}" for name in private)


def _lineage(where: str, name: str, blocks: Mapping[str, Block]) -> dict[str, Block]:
    """The block of a figure, and those of the figures that it extends, the nearest first."""
    line: dict[str, Block] = {}
    step: str | None = name
    while step is not None:
        _require_known(f"{where}.extends", [step], blocks, "figure")
        require(step not in line, f"configuration, {where}.extends: a figure cannot extend itself")
        line[step] = blocks[step]
        step = blocks[step].extends
    return line


def _figure(where: str, paper: str, line: Mapping[str, Block], own: Block, factor: int) -> Figure:
    """One figure's block, over those that it extends, held against the figure's record of settings."""
    folders = tuple(line)
    for needed in ("settings.py", "draw.py", "caption.rst"):
        path = stage_file(paper, folders, needed)
        require(path.is_file(), f"configuration, {where}: the figure has no {needed}; write {path}")
    kinds = stage_kinds(import_module(stage_module(paper, folders, "settings")))
    records = {stage: kind if stage == "score" else get_args(kind)[1] for stage, kind in kinds.items()}
    known = {stage: choices(get_args(kind)[0]) for stage, kind in kinds.items() if stage != "score"}
    _check_names(where, own, records, known)
    block = _asked(reduce(lambda base, over: over.over(base), reversed([*line.values()])), records, known)
    require(block.trials is not None, f"configuration, {where}: the setting 'trials' is missing")
    referee = stage_file(paper, folders, "score.py")
    drawn = block.release or block.learn or (referee.is_file() and "trials:" in referee.read_text(encoding="utf-8"))
    require(block.trials or not drawn, f"configuration, {where}.trials: only an exact figure has no trial")
    for stage in STAGES:
        there = stage_file(paper, folders, f"{stage}.py").is_file()
        agreed = there == (stage in kinds) == (stage == "score" or bool(getattr(block, stage)))
        rule = f"must stand in the configuration and in settings.py exactly when there is a {stage}.py"
        require(agreed, f"configuration, {where}: `{stage}` {rule}")
    arms = {
        stage: {
            arm: _arm(where, (stage, arm), block, content, records[stage], factor)
            for arm, content in getattr(block, stage).items()
        }
        for stage in ("release", "learn")
    }
    for arm, learner in arms["learn"].items():
        _require_known(f"{where}.learn.{arm}.from", learner.releases, block.release, "release")
    scored = _arm(where, ("score",), block, block.score, records["score"], factor)
    return Figure(paper, folders[0], folders, block.trials or 0, **arms, score=scored)


def stage_kinds(written: Any) -> dict[str, Any]:
    """The record of each stage's settings, or of each of its arms', from a figure's `settings` module.

    A figure without owner and learner needs no `Figure`, but its `Score`; a referee without settings needs none.
    """
    kinds = get_type_hints(written.Figure, include_extras=True) if hasattr(written, "Figure") else {}
    return {"score": getattr(written, "Score", Nothing), **kinds}


def _check_names(where: str, own: Block, records: Mapping[str, Any], known: Mapping[str, Sequence[str]]) -> None:
    """Refuse an arm or a key of the figure's own block that nothing in it asks for."""
    _require_known(f"{where}.settings", own.settings, {key for kind in records.values() for key in _names(kind)})
    for stage in ("release", "learn"):
        _require_known(f"{where}.{stage}", getattr(own, stage), known.get(stage, ()), "arm")
        for arm, content in getattr(own, stage).items():
            _require_known(f"{where}.{stage}.{arm}", content, _names(records[stage]) | _STRAND)
    _require_known(f"{where}.score", own.score, _names(records["score"]) | {"reads"})


def _asked(block: Block, records: Mapping[str, Any], known: Mapping[str, Sequence[str]]) -> Block:
    """What a figure asks for of what it was given: of an extended figure it may need less."""

    def part(content: Mapping[str, Any], stage: str) -> dict[str, Any]:
        return {key: content[key] for key in content if key in _names(records[stage]) | _STRAND}

    release, learn = (
        {name: part(arm, stage) for name, arm in getattr(block, stage).items() if name in known.get(stage, ())}
        for stage in ("release", "learn")
    )
    return replace(block, release=release, learn=learn, score=part(block.score, "score"))


def _arm(where: str, here: tuple[str, ...], block: Block, content: Mapping[str, Any], kind: Any, factor: int) -> Arm:
    """One arm: what every arm may say of itself, and its settings, its own before the figure's."""
    own = {key: value for key, value in content.items() if key not in _STRAND}
    # `from` is a word of Python.
    strand = {"releases" if key == "from" else key: content[key] for key in content if key in _STRAND}
    said = checked(Strand, strand, within(named((where, *here))))
    shared = {key: value for key, value in block.settings.items() if key in _names(kind)}

    def place(loc: Loc) -> str:
        return named((where, *(here if not loc or loc[0] in own else ("settings",)), *loc))

    trials = block.trials or 0
    chunk = factor * (said.chunk or block.chunk or trials or 1)
    default = here[1:] if here[-1] in block.release else ()
    chunks = tuple(range(first, min(first + chunk, trials)) for first in range(0, trials, chunk))
    releases = default if said.releases is None else said.releases
    return Arm(here[-1], chunks, said.reads, said.peeks, releases, checked(kind, {**shared, **own}, place))


def _names(kind: Any) -> set[str]:
    return {entry.name for entry in fields(kind)}


def papers() -> list[str]:
    """The papers that there are."""
    return [path.parent.name for path in PAPERS.glob("*/__init__.py")]


def figures_of(paper: str) -> list[str]:
    """The figures of a paper that there are."""
    files = ("caption.rst", "settings.py", "draw.py")
    return [path.name for path in (PAPERS / paper).iterdir() if any((path / name).is_file() for name in files)]


def _require_known(where: str, words: Iterable[str], known: Any, what: str = "key") -> None:
    for word in words:
        if word not in known:
            raise UnveilError(f"configuration, {where}: {unknown(word, known, what)}")


def _check_fields(where: str, reads: Mapping[str, Sequence[str]], known: Mapping[str, Sequence[str]]) -> None:
    _require_known(where, reads, known, "data set")
    for dataset, names in reads.items():
        _require_known(f"{where}.{dataset}", names, known[dataset], "field")
