"""The learner's commands: a model from a release and from what is public, and predictions from a model."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unveil.command.models import Model, learner
from unveil.command.schema import Column, Encoding
from unveil.command.sheets import Progress, Sheet, number_order, texts
from unveil.errors import require
from unveil.files import create, replace
from unveil.protocols.base import Release
from unveil.types import Array

#: Which protocols are learned from with public rows beside the release.
WITH_PUBLIC = ("mean-operator", "ratios", "tags")


@dataclass(frozen=True)
class Wish:
    """What `unveil fit` was asked for."""

    protocol: str
    release: Path
    public: Path | None
    model: Path
    settings: Sequence[str] = ()
    estimator: str | None = None
    force: bool = False


def fit(wish: Wish) -> str:
    """Learn from a release and the public rows; no private value is read."""
    require_other(wish.model, "--model", wish.release, wish.public)
    released = Release.load(wish.release)
    said = f"{wish.release} is of the protocol {released.protocol!r}, not {wish.protocol!r}"
    require(released.protocol == wish.protocol, f"{said}: give unveil fit {released.protocol}")
    needed = wish.protocol in WITH_PUBLIC
    require(needed or wish.public is None, f"PUBLIC does not apply to {wish.protocol}: its release holds all there is")
    require(not needed or wish.public, f"PUBLIC is needed for {wish.protocol}: the table with {_inputs(released)}")
    kind = learner(wish.protocol, wish.estimator)
    estimator = kind(**settings_of(kind, wish.settings))
    sheet = Sheet.open(wish.public) if wish.public else None
    encoding = _encoding(wish, released, sheet)
    _FITS[wish.protocol](estimator, released, encoding, sheet)
    about = {
        "mechanism": released.mechanism,
        "records": released.records,
        "claimed_epsilon": _number(released.claimed_epsilon),
        "exact_epsilon": _number(released.exact_epsilon),
        "exact_delta": released.exact_delta,
        "randomness": released.randomness,
    }
    Model(wish.protocol, estimator, encoding, about).save(wish.model, wish.force)
    seeded = " from a SIMULATED release" if released.randomness == "seeded" else ""
    return f"{wish.model}{seeded}: {kind.__name__}, {released.records} records, {released.mechanism}"


def _encoding(wish: Wish, released: Release, sheet: Sheet | None) -> Encoding:
    """What the release says of its columns; where it names none, all that the public rows have, as they are."""
    if "table" in released.parameters:
        return Encoding.of(released.parameters["table"])
    # The fingerprint of the rows that a mean operator carries tells whether they are those.
    placed = wish.protocol == "mean-operator" and sheet is not None
    require(placed, f"{wish.release} names no columns: fit it in Python, by Release.load")
    names = sheet.names if sheet else ()
    label = Column("label", categories=tuple(str(name) for name in released.parameters["classes"]))
    return Encoding(tuple(Column(name) for name in names), label, scaled=False)


def settings_of(kind: Any, texts: Sequence[str]) -> dict[str, Any]:
    """NAME=VALUE with values as in JSON, or else as texts; names that the estimator does not have are errors."""
    known, found = list(kind._get_param_names()), {}
    for text in texts:
        name, equals, value = text.partition("=")
        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(known)}"
        require(equals and value, f"--set must be NAME=VALUE, not {text!r}")
        require(name in known, f"--set {text}: {kind.__name__} has no setting {name!r}; {hint}")
        require(name not in found, f"--set {text}: {name!r} is given twice")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def require_other(path: Path, option: str, *inputs: Path | None) -> None:
    """Raise where an output is one of the inputs, whatever its name."""
    for other in inputs:
        same = other is not None and path.exists() and other.exists() and path.samefile(other)
        require(not same, f"{option} must not be {other}, which is read")


def predict(
    model_path: Path,
    data: Path,
    out: Path,
    force: bool = False,
    id_column: str | None = None,
    progress: Progress | None = None,
) -> str:
    """Write what the model says of each row, or of each set, of a table."""
    require_other(out, "--out", model_path, data)
    require(out.suffix in (".csv", ".parquet"), f"{out} must be a .csv or a .parquet file")
    model, sheet = Model.load(model_path), Sheet.open(data).watched(progress)
    sheet.require_columns([*model.encoding.names, *([id_column] if id_column else [])])
    require(id_column is None or model.protocol != "ratios", "--id does not apply to ratios: a row is a set")
    taken = id_column is not None and (id_column == "prediction" or id_column.startswith("probability of "))
    require(not taken, f"--id {id_column}: a column of the predictions has this name; rename it")
    counted = [0]
    rows = _counted(_PREDICTIONS[model.protocol](model, sheet, id_column), counted)
    write = replace if force else create
    write(out, _as_csv(rows) if out.suffix == ".csv" else _as_parquet(rows))
    return f"{out}: {counted[0]} {'sets' if model.protocol == 'ratios' else 'rows'} predicted"


#: A piece of the predictions: columns of the same length by name.
Piece = dict[str, Any]


def _fit_statistic(estimator: Any, released: Release, encoding: Encoding, sheet: Sheet | None) -> None:
    assert sheet is not None  # noqa: S101 - for the type checker
    X = _matrix(encoding, sheet)
    many = f"{sheet.path} must have the {released.records} rows of the release, in the same order, not {len(X)}"
    require(len(X) == released.records, many)
    estimator.fit(released, X)


def _fit_release(estimator: Any, released: Release, *_: object) -> None:
    estimator.fit(released)


def _fit_tags(estimator: Any, released: Release, encoding: Encoding, sheet: Sheet | None) -> None:
    assert sheet is not None and encoding.sets is not None  # noqa: S101, PT018 - for the type checker
    _, sentences = grouped_texts(sheet, encoding.sets, encoding.names)
    if estimator.random_state is None:
        estimator.random_state = 0
    estimator.fit(released, [words for (words,) in sentences])


def _fit_ratios(estimator: Any, released: Release, encoding: Encoding, sheet: Sheet | None) -> None:
    assert sheet is not None  # noqa: S101 - for the type checker
    names, bags = grouped_rows(sheet, encoding)
    expected = list(released.parameters["sets"])
    strange = sorted({*names} ^ {*expected})
    require(not strange, f"{sheet.path} must hold the sets of the release: {strange[:1]} is in one of them only")
    found = dict(zip(names, bags, strict=True))
    bags = [found[name] for name in expected]  # those of a merged release are in the order of its parts
    for name, bag, size in zip(expected, bags, released.arrays["sizes"].tolist(), strict=True):
        some = f"{sheet.path} must hold the rows of the release: the set {name!r} has {len(bag)} of them, not {size}"
        require(len(bag) == size, some)
    estimator.fit(released, bags)


_FITS: Mapping[str, Callable[[Any, Release, Encoding, Sheet | None], None]] = {
    "mean-operator": _fit_statistic,
    "products": _fit_release,
    "ratios": _fit_ratios,
    "tags": _fit_tags,
    "records": _fit_release,
}


def _matrix(encoding: Encoding, sheet: Sheet) -> Array:
    return np.concatenate([encoding.matrix(part, before, sheet.path) for before, part in sheet.batches(encoding.names)])


def grouped_rows(sheet: Sheet, encoding: Encoding) -> tuple[list[str], list[Array]]:
    """The sets by name, in order, and the features of the rows of each."""
    assert encoding.sets is not None  # noqa: S101 - for the type checker
    labels, parts = [], []
    for before, columns in sheet.batches([encoding.sets, *encoding.names]):
        labels.append(np.asarray(texts(columns[encoding.sets], encoding.sets, before, sheet.path).to_pylist()))
        parts.append(encoding.matrix(columns, before, sheet.path))
    of, points = np.concatenate(labels), np.concatenate(parts)
    names = number_order(np.unique(of).tolist())
    return names, [points[of == name] for name in names]


def grouped_texts(sheet: Sheet, sets: str, names: Sequence[str]) -> tuple[list[str], list[list[list[str]]]]:
    """Runs of rows with the same value of `sets`: their names, and the texts of each column of each."""
    seen: list[str] = []
    found: list[list[list[str]]] = []
    for before, columns in sheet.batches([sets, *names]):
        own = texts(columns[sets], sets, before, sheet.path).to_pylist()
        values = [texts(columns[name], name, before, sheet.path).to_pylist() for name in names]
        for row, group in enumerate(own):
            if not seen or seen[-1] != group:
                seen.append(group)
                found.append([[] for _ in names])
            for column, value in zip(found[-1], values, strict=True):
                column.append(value[row])
    twice = len({*seen}) < len(seen)
    again = next(name for place, name in enumerate(seen) if name in seen[:place]) if twice else None
    require(again is None, f"{sheet.path}: the rows of {sets} {again!r} must follow each other")
    return seen, found


def _predict_classes(model: Model, sheet: Sheet, id_column: str | None) -> Iterator[Piece]:
    classes = model.encoding.classes
    for piece, X in _features(model, sheet, id_column):
        if hasattr(model.estimator, "predict_proba"):
            chances = model.estimator.predict_proba(X)[:, 1]
            piece["prediction"] = [classes[int(chance > 0.5)] for chance in chances]
            piece[f"probability of {classes[1]}"] = chances
        else:
            piece["prediction"] = [classes[int(margin > 0)] for margin in model.estimator.decision_function(X)]
        yield piece


def _predict_numbers(model: Model, sheet: Sheet, id_column: str | None) -> Iterator[Piece]:
    low, high = model.encoding.label.range or (0.0, 1.0)
    for piece, X in _features(model, sheet, id_column):
        yield {**piece, "prediction": low + (high - low) * model.estimator.predict(X)}


def _features(model: Model, sheet: Sheet, id_column: str | None) -> Iterator[tuple[Piece, Array]]:
    names = [*model.encoding.names, *([id_column] if id_column else [])]
    for before, columns in sheet.batches(names):
        own = {id_column: texts(columns[id_column], id_column, before, sheet.path).to_pylist()} if id_column else {}
        yield own, model.encoding.matrix(columns, before, sheet.path)


def _predict_ratios(model: Model, sheet: Sheet, _: str | None) -> Iterator[Piece]:
    names, bags = grouped_rows(sheet, model.encoding)
    shares = model.estimator.predict(bags)
    columns = {f"share of {name}": shares[:, place] for place, name in enumerate(model.encoding.classes)}
    yield {str(model.encoding.sets): names, **columns}


def _predict_tags(model: Model, sheet: Sheet, id_column: str | None) -> Iterator[Piece]:
    (words,) = model.encoding.names
    for before, columns in sheet.batches([words, *([id_column] if id_column else [])]):
        own = {id_column: texts(columns[id_column], id_column, before, sheet.path).to_pylist()} if id_column else {}
        found = texts(columns[words], words, before, sheet.path).to_pylist()
        yield {
            **own,
            (words if words != "prediction" else "word"): found,
            "prediction": [str(tag) for tag in model.estimator.predict(found)],
        }


_PREDICTIONS: Mapping[str, Callable[[Model, Sheet, str | None], Iterator[Piece]]] = {
    "mean-operator": _predict_classes,
    "products": _predict_numbers,
    "ratios": _predict_ratios,
    "tags": _predict_tags,
    "records": _predict_classes,
}


def _counted(pieces: Iterator[Piece], rows: list[int]) -> Iterator[Piece]:
    for piece in pieces:
        rows[0] += len(next(iter(piece.values())))
        yield piece


def _as_csv(pieces: Iterator[Piece]) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not number:
            writer.writerow(piece)
        lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in piece.values()]
        writer.writerows(zip(*lists, strict=True))
        yield text.getvalue().encode()


def _as_parquet(pieces: Iterator[Piece]) -> Iterator[bytes]:
    from pyarrow import parquet

    buffer = io.BytesIO()
    tables = [pa.table(dict(piece)) for piece in pieces]
    parquet.write_table(pa.concat_tables(tables), buffer)
    yield buffer.getvalue()


def _number(value: float) -> float | None:
    return None if value == float("inf") else float(value)


def _inputs(released: Release) -> str:
    if "table" not in released.parameters:
        return "the rows that it was made from"
    encoding = Encoding.of(released.parameters["table"])
    return ", ".join([*encoding.names, *([encoding.sets] if encoding.sets else [])])
