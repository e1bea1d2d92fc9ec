"""`unveil inspect`: what a release or a model holds and promises, for people."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from unveil.command.models import Model
from unveil.errors import UnveilError, escape
from unveil.protocols import PROTOCOLS
from unveil.protocols.base import Release, find_protocol
from unveil.protocols.columns import Column, Encoding

#: Of more features no more are listed.
MOST_SHOWN = 40


def inspect(path: Path, values: bool = False) -> str:
    """What a release or a model holds, for people: each line is one, whatever names the file has."""
    return "\n".join(map(escape, _lines(path, values)))


def _lines(path: Path, values: bool) -> list[str]:
    try:
        released = Release.load(path)
    except UnveilError as error:
        if not _is_model(path):
            raise error from None
        model = Model.load(path)
        return [*_model_lines(model, path), *(_weights(model) if values else ())]
    protocol = find_protocol(released.protocol)
    known = "exact_epsilon" in protocol.follow(released)
    stated = "" if known else "; stated by its owner"
    lines = [
        f"{path}: a release of the protocol {released.protocol}",
        f"promises       {protocol.describe_level(released)}, of {PROTOCOLS[released.protocol]}",
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
    return [*lines, *(_shares(released) if values else ())]


def _shares(released: Release) -> list[str]:
    """The class ratios of each set, which are what a release of them says; other releases have to be learned from."""
    if "proportions" not in released.arrays:
        return ["values         noise hides what the arrays say one by one: `unveil fit`, and inspect the model"]
    classes, shares = released.parameters["classes"], released.arrays["proportions"]
    sets = released.parameters.get("sets") or map(str, range(len(shares)))
    return [
        f"{name:14s} " + ", ".join(f"{one} {share:.3g}" for one, share in zip(classes, row, strict=True))
        for name, row in zip(sets, shares.tolist(), strict=True)
    ]


def _weights(model: Model) -> list[str]:
    """A linear model's weights in the units of the table, with intervals where they are known."""
    estimator, encoding = model.estimator, model.encoding
    if not hasattr(estimator, "coef_"):
        return [f"values         {type(estimator).__name__} has no weights to show"]
    low, high = encoding.label.range or (0.0, 1.0)
    what = encoding.label.name if not encoding.classes else f"the score of {encoding.classes[-1]!r}"
    coef = np.ravel(estimator.coef_)
    try:
        ends = np.asarray(estimator.intervals())[: len(coef)]
    except (AttributeError, UnveilError):
        ends = np.full((len(coef), 2), np.nan)
    scale, lines, constant = high - low, list[str](), low
    for name, unit, start, weight, (least, most) in zip(*_units(encoding), coef, ends, strict=True):
        constant -= float(weight) * scale * start / unit
        sure = f"  95 %: {least * scale / unit:.4g} to {most * scale / unit:.4g}" if np.isfinite(least + most) else ""
        lines.append(f"  {name:30s} {weight * scale / unit:.4g}{sure}")
    constant += scale * float(np.ravel(estimator.intercept_)[0])
    lines.append(f"  {'constant':30s} {constant:.4g}")
    return [f"values         of {what}: what one unit more of each adds", *lines]


def _units(encoding: Encoding) -> tuple[list[str], list[float], list[float]]:
    """The name of each feature, how long its range is, and where that begins."""
    names, units, starts = list[str](), list[float](), list[float]()
    for column in encoding.features:
        low, high = column.range or (0.0, 1.0)
        own = [f"{column.name} = {one}" for one in column.categories] if column.categories else [column.name]
        names += own
        units += [high - low] * len(own)
        starts += [low] * len(own)
    return names, units, starts


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
