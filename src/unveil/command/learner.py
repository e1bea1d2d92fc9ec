"""The learner's commands: a model from a release and from what is public, and predictions from a model."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv, parquet

from unveil.command.models import Model
from unveil.errors import require
from unveil.files import create, replace
from unveil.protocols.base import LEVELS, Release, find_protocol
from unveil.protocols.columns import Column, Encoding
from unveil.protocols.encoded import EncodedTable
from unveil.protocols.sheets import Progress, Sheet


def fit(
    protocol: str,
    release: Path,
    public: Path | None,
    model: Path,
    settings: Sequence[str] = (),
    estimator: str | None = None,
    force: bool = False,
) -> str:
    """Learn from a release and the public rows; no private value is read."""
    require_other(model, "--model", release, public)
    released, known = Release.load(release), find_protocol(protocol)
    said = f"{release} is of the protocol {released.protocol!r}, not {protocol!r}"
    require(released.protocol == protocol, f"{said}: give unveil fit {released.protocol}")
    needed = known.with_public
    require(needed or public is None, f"PUBLIC does not apply to {protocol}: its release holds all there is")
    require(not needed or public, f"PUBLIC is needed for {protocol}: the table with {_inputs(released)}")
    kind = known.learner(estimator, released)
    fitted = kind(**settings_of(kind, settings))
    sheet = Sheet.open(public) if public else None
    encoding = _encoding(released, release, sheet)
    known.fit(fitted, released, None if sheet is None else EncodedTable(sheet, encoding))
    described = released.describe()
    about = {name: described[name] for name in ("mechanism", "records", *LEVELS, "randomness")}
    expected = known.judge(fitted, released)
    about |= {"expected": expected} if expected else {}
    Model(protocol, fitted, encoding, about).save(model, force)
    seeded = " from a SIMULATED release" if released.randomness == "seeded" else ""
    said = f"{model}{seeded}: {kind.__name__}, {released.records} records, {released.mechanism}"
    return f"{said}; {expected}" if expected else said


def _encoding(released: Release, path: Path, sheet: Sheet | None) -> Encoding:
    """What the release says of its columns; where it names none, all that the public rows have, as they are."""
    if "table" in released.parameters:
        return Encoding.of(released.parameters["table"])
    # The fingerprint of the public rows that it carries tells whether they are those.
    require(
        sheet is not None and released.rows and "classes" in released.parameters,
        f"{path} names no columns: fit it in Python, by Release.load",
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
) -> tuple[str, list[str]]:
    """Write what the model says of each row, or of each set, of a table."""
    require_other(out, "--out", model_path, data)
    require(out.suffix in (".csv", ".parquet"), f"{out} must be a .csv or a .parquet file")
    model, sheet = Model.load(model_path), Sheet.open(data).watch_by(progress)
    protocol, extra = find_protocol(model.protocol), () if id_column is None else (id_column,)
    sheet.require_columns([*model.encoding.names, *extra])
    taken = id_column is not None and (id_column == "prediction" or id_column.startswith("probability of "))
    require(not taken, f"--id {id_column}: a column of the predictions has this name; rename it")
    rows, table_of = 0, EncodedTable(sheet, model.encoding)

    def tabulate() -> Iterator[pa.Table]:
        nonlocal rows
        for piece in protocol.predict(model.estimator, table_of, extra):
            table = pa.table(piece)
            rows += table.num_rows
            yield table

    content = _encode_csv(tabulate()) if out.suffix == ".csv" else _encode_parquet(tabulate())
    (replace if force else create)(out, content)
    notes = [describe_outside(name, count) for name, count in table_of.outside.items() if count]
    return f"{out}: {rows} {protocol.unit} predicted", notes


def describe_outside(name: str, count: int, records: int | None = None) -> str:
    """How often a table, of so many records, left what is public of a column, and what became of that."""
    if records is not None and count >= records:
        return (
            f"WARNING: EVERY value of {name!r} lies outside its public range or list, so that the release says nothing "
            "of it: are its units, or its spelling, those of the schema?"
        )
    if count == 1:
        return f"1 value of {name!r} lies outside its public range or list, and was taken as its end, or as none of it"
    return (
        f"{count:,} values of {name!r} lie outside its public range or list, and were taken as its ends, "
        "or as none of it"
    )


def merge(releases: Sequence[Path], out: Path) -> str:
    """One release about the records of all."""
    require(len(releases) > 1, "merge needs two releases or more")
    found = [Release.load(path) for path in releases]
    whole = reduce(Release.merge, found)
    whole.save(out)
    return f"{out}: {whole.protocol} of {whole.records} records from {len(found)} releases"


def _encode_csv(tables: Iterator[pa.Table]) -> Iterator[bytes]:
    """A piece at a time: predictions may be larger than memory."""
    for number, table in enumerate(tables):
        sink = io.BytesIO()
        csv.write_csv(table, sink, csv.WriteOptions(include_header=not number, quoting_style="needed"))
        yield sink.getvalue()


def _encode_parquet(tables: Iterator[pa.Table]) -> Iterator[memoryview]:
    sink = io.BytesIO()
    parquet.write_table(pa.concat_tables(tables), sink)
    yield sink.getbuffer()


def _inputs(released: Release) -> str:
    if "table" not in released.parameters:
        return "the rows that it was made from"
    encoding = Encoding.of(released.parameters["table"])
    return ", ".join([*encoding.names, *([encoding.sets] if encoding.sets else [])])
