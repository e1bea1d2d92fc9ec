"""The learner's commands: a model from a release and from what is public, and predictions from a model."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from unveil.command.models import Model
from unveil.errors import require
from unveil.files import create, replace
from unveil.protocols.base import Release, find_protocol
from unveil.protocols.columns import Column, Encoding
from unveil.protocols.encoded import EncodedTable, Piece
from unveil.protocols.sheets import Progress, Sheet


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
    protocol = find_protocol(wish.protocol)
    needed = protocol.with_public
    require(needed or wish.public is None, f"PUBLIC does not apply to {wish.protocol}: its release holds all there is")
    require(not needed or wish.public, f"PUBLIC is needed for {wish.protocol}: the table with {_inputs(released)}")
    kind = protocol.learner(wish.estimator)
    estimator = kind(**settings_of(kind, wish.settings))
    sheet = Sheet.open(wish.public) if wish.public else None
    encoding = _encoding(wish, released, sheet)
    protocol.fit(estimator, released, None if sheet is None else EncodedTable(sheet, encoding))
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
    # The fingerprint of the public rows that it carries tells whether they are those.
    require(
        sheet is not None and released.rows and "classes" in released.parameters,
        f"{wish.release} names no columns: fit it in Python, by Release.load",
    )
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
    protocol, extra = find_protocol(model.protocol), () if id_column is None else (id_column,)
    sheet.require_columns([*model.encoding.names, *extra])
    taken = id_column is not None and (id_column == "prediction" or id_column.startswith("probability of "))
    require(not taken, f"--id {id_column}: a column of the predictions has this name; rename it")
    counted = [0]
    rows = _counted(protocol.predict(model.estimator, EncodedTable(sheet, model.encoding), extra), counted)
    write = replace if force else create
    write(out, _as_csv(rows) if out.suffix == ".csv" else _as_parquet(rows))
    return f"{out}: {counted[0]} {protocol.unit} predicted"


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
