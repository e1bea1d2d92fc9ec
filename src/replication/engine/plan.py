"""From the configuration to the jobs of every figure.

A figure is a folder of stages, `papers/<paper>/<figure>/{release,learn,score,draw}.py`, and one block of
`config.yaml`. This module checks the one against the other and works out arms, chunks and settings. It knows
nothing of Snakemake and imports no stage: the rules ask it what a job reads and gets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import jsonschema

from replication.engine import source
from unveil.errors import UnveilError, require

#: Settings that a stage may ask for without the configuration naming them.
SUPPLIED = frozenset({"grades"})
_ARM_KEYS = frozenset({"reads", "peeks", "from", "trials", "chunk"})

Reads = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Arm:
    """One strand of a stage: what it reads, the settings it asks for, and its trials cut into chunks."""

    name: str
    chunks: tuple[range, ...] = ()
    reads: Reads = field(default_factory=dict)
    peeks: Reads = field(default_factory=dict)
    releases: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

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


def stage_file(paper: str, figure: str, stage: str) -> Path:
    """Where the code of a stage stands."""
    return source.ROOT / "replication" / "papers" / paper / figure / f"{stage}.py"


def check_frame(config: Mapping[str, Any], schema: Mapping[str, Any]) -> None:
    """Raise a one-line error where `config` breaks the JSON schema."""
    errors = jsonschema.Draft202012Validator(schema).iter_errors(config)
    worst = jsonschema.exceptions.best_match(errors)
    require(worst is None, _explain(worst))


def _explain(error: jsonschema.ValidationError | None) -> str:
    if error is None:
        return ""
    where = ".".join(map(str, error.absolute_path)) or "top level"
    if error.validator == "additionalProperties" and isinstance(error.schema, Mapping):
        known = set(error.schema.get("properties", ()))
        unknown = sorted(set(dict(error.instance)) - known)  # type: ignore[arg-type]
        return f"configuration, {where}: {_unknown(unknown[0], known)}"
    return f"configuration, {where}: {error.message}"


def _unknown(key: str, known: set[str]) -> str:
    close = get_close_matches(key, known, n=1)
    hint = f"did you mean '{close[0]}'?" if close else f"known: {', '.join(sorted(known)) or 'none'}"
    return f"unknown key '{key}'; {hint}"


def plan(config: Mapping[str, Any], fields: Mapping[str, Sequence[str]]) -> dict[tuple[str, str], Figure]:
    """The plan of every figure by (paper, figure); `fields` are the prepared fields of each data set."""
    figures = {}
    for paper, block in config["papers"].items():
        for name, settings in block["figures"].items():
            where = f"configuration, papers.{paper}.figures.{name}"
            try:
                figure = _figure(paper, name, settings, config.get("chunk_factor", 1))
                for arm in [*figure.release.values(), *figure.learn.values(), figure.score]:
                    _check_fields(arm, fields)
            except UnveilError as error:
                raise UnveilError(f"{where}: {error}") from error
            seen = leaks(figure, block["public"])
            require(
                not seen,
                f"{where}: {'; '.join(seen)}, which the paper does not declare public; say `peeks` if on purpose",
            )
            figures[paper, name] = figure
    return figures


def leaks(figure: Figure, public: Reads) -> list[str]:
    """The prepared fields that a learner reads although the paper does not declare them public."""
    return [
        f"{arm.name} reads {dataset}/{name}"
        for arm in figure.learn.values()
        for dataset, names in arm.reads.items()
        for name in names
        if name not in public.get(dataset, ())
    ]


def _figure(paper: str, name: str, block: Mapping[str, Any], factor: int) -> Figure:
    stages = {stage: stage_file(paper, name, stage) for stage in ("release", "learn", "score", "draw")}
    for stage in ("score", "draw"):
        require(stages[stage].is_file(), f"there is no {stages[stage]}")
    for stage in ("release", "learn"):
        require(
            stages[stage].is_file() == (stage in block),
            f"`{stage}` must stand in the configuration exactly when {stages[stage]} exists",
        )
    asked = {
        stage: _settings(stages[stage], stage)
        for stage in ("release", "learn", "score")
        if stages[stage].is_file()
    }
    _check_names(block, asked)
    release = {arm: _arm(arm, "release", block, asked, factor) for arm in block.get("release", ())}
    learn = {arm: _arm(arm, "learn", block, asked, factor) for arm in block.get("learn", ())}
    for learner in learn.values():
        for arm in learner.releases:
            require(arm in release, f"learn.{learner.name}: there is no release arm '{arm}'")
    return Figure(
        paper,
        name,
        block["trials"],
        release,
        learn,
        _arm("score", "score", block, asked, factor),
        source.defines(stages["draw"], "table"),
    )


def _settings(file: Path, stage: str) -> dict[str, Any]:
    return {name: kind for name, kind in source.settings_schema(file, stage).items() if name not in SUPPLIED}


def _check_names(block: Mapping[str, Any], asked: Mapping[str, Mapping[str, Any]]) -> None:
    """Every shared setting is asked for by some stage."""
    wanted = {name for names in asked.values() for name in names}
    for key in block.get("settings", {}):
        require(key in wanted, f"settings: {_unknown(key, wanted)}")


def _arm(
    name: str, stage: str, block: Mapping[str, Any], asked: Mapping[str, Mapping[str, Any]], factor: int
) -> Arm:
    """One arm of a stage: its own keys over the figure's settings, checked against what the stage asks."""
    own = (block.get("score") if stage == "score" else block[stage][name]) or {}
    where = "score" if stage == "score" else f"{stage}.{name}"
    extra = {key: value for key, value in own.items() if key not in _ARM_KEYS}
    for key in extra:
        require(key in asked[stage], f"{where}: {_unknown(key, set(asked[stage]) | _ARM_KEYS)}")
    given = {**block.get("settings", {}), **extra}
    for key, kind in asked[stage].items():
        require(key in given, f"{where}: the setting '{key}' is missing")
        _check_type(given[key], kind, f"{where}: {key}")
    releases = own.get("from", [name] if name in block.get("release", ()) else []) if stage == "learn" else []
    trials = own.get("trials", block["trials"])
    require(trials <= block["trials"], f"{where}: trials must be at most the figure's {block['trials']}")
    chunk = factor * (own.get("chunk", block.get("chunk", trials)) or 1)
    return Arm(
        name=name,
        chunks=tuple(range(first, min(first + chunk, trials)) for first in range(0, trials, chunk)),
        reads=own.get("reads", {}),
        peeks=own.get("peeks", {}),
        releases=tuple(releases),
        settings={key: given[key] for key in asked[stage]},
    )


def _check_type(value: Any, schema: Mapping[str, Any], where: str) -> None:
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(value))
    require(error is None, f"{where}: {error.message if error else ''}")


def _check_fields(arm: Arm, fields: Mapping[str, Sequence[str]]) -> None:
    for dataset, name in arm.fields:
        require(dataset in fields, f"{arm.name}: {_unknown(dataset, set(fields))}")
        require(
            name in fields[dataset],
            f"{arm.name}: {dataset} has no such field; {_unknown(name, set(fields[dataset]))}",
        )
