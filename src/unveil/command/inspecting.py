"""`unveil inspect`: what a release or a model holds and promises, for people."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from unveil.command.models import Model
from unveil.errors import UnveilError, escape
from unveil.protocols.base import Release, find_protocol
from unveil.protocols.columns import Column, Encoding

#: Of more features no more are listed.
MOST_SHOWN = 40


def inspect(path: Path) -> str:
    """What a release or a model holds, for people: each line is one, whatever names the file has."""
    return "\n".join(map(escape, _lines(path)))


def _lines(path: Path) -> list[str]:
    try:
        released = Release.load(path)
    except UnveilError as error:
        if not _is_model(path):
            raise error from None
        return _model_lines(Model.load(path), path)
    known = "exact_epsilon" in find_protocol(released.protocol).follow(released)
    stated = "" if known else "; stated by its owner"
    lines = [
        f"{path}: a release of the protocol {released.protocol}",
        f"mechanism      {released.mechanism}",
        f"records        {released.records}",
        f"epsilon        {_level(released.exact_epsilon)} kept, {_level(released.claimed_epsilon)} claimed{stated}",
        f"delta          {released.exact_delta:g} kept, {released.claimed_delta:g} claimed",
        f"holds          {_scope(released)}",
        f"randomness     {_RANDOMNESS[released.randomness]}",
    ]
    lines += [f"array          {name} {array.dtype} {array.shape}" for name, array in sorted(released.arrays.items())]
    for name, value in released.parameters.items():
        lines += (
            _columns(Encoding.of(value))
            if name == "table"
            else [f"{name:14s} {json.dumps(value, ensure_ascii=False)[:100]}"]
        )
    return lines


def _scope(released: Release) -> str:
    if np.isinf(released.exact_epsilon):
        return "for nobody: no privacy is promised"
    return "for all data" if released.scope == "supremum" else "for the data that it is about"


_RANDOMNESS = {
    "os": "the operating system's",
    "seeded": "SIMULATION, drawn from a seed: whoever knows it can take the noise off",
}


def _model_lines(model: Model, path: Path) -> list[str]:
    about = [f"{name:16s} {value}" for name, value in model.about.items()]
    settings = [f"{name:16s} {value}" for name, value in model.estimator.get_params(deep=False).items()]
    shapes = [f"coef_            {np.shape(model.estimator.coef_)}"] if hasattr(model.estimator, "coef_") else []
    title = f"{path}: a model for the protocol {model.protocol}, {type(model.estimator).__name__}"
    return [title, *about, *settings, *shapes, *_columns(model.encoding)]


def _columns(encoding: Encoding) -> list[str]:
    shown = [_line("feature", column) for column in encoding.features[:MOST_SHOWN]]
    left = len(encoding.features) - len(shown)
    more = [f"{'':14s} and {left} more features"] if left else []
    return [
        *shown,
        *more,
        _line("label", encoding.label),
        *([f"sets           {encoding.sets}"] if encoding.sets else []),
    ]


def _line(name: str, column: Column) -> str:
    return f"{name:14s} {json.dumps(column.describe(), ensure_ascii=False)[:200]}"


def _is_model(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return b'"unveil model' in file.read(64)
    except OSError:
        return False


def _level(value: float) -> str:
    return "none" if value == float("inf") else f"{value:g}"
