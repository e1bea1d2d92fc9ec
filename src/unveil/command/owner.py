"""The owner's command: from a table with private columns to a release file.

Prepared first, then handed out: the release is drawn, written under a name that nobody knows and read again; then the
ledger notes it, and it gets its name. Noise is exact and the operating system's, unless it is a simulation.
"""

from __future__ import annotations

import csv
from dataclasses import replace
from math import inf

import numpy as np

from unveil.command.learner import describe_outside
from unveil.errors import UnveilError, require
from unveil.files import require_free
from unveil.ledger import Ledger
from unveil.protocols.base import find_protocol
from unveil.protocols.columns import Column, Encoding, read_schema
from unveil.protocols.encoded import EncodedTable
from unveil.protocols.protocol import Offer, Order, Protocol
from unveil.protocols.release_files import save
from unveil.protocols.sheets import Progress, Sheet


def release(order: Order, progress: Progress | None = None) -> tuple[str, list[str]]:
    """Write the release file; what to tell the owner of it, and what of the data."""
    protocol: Protocol = find_protocol(order.protocol)
    require_fitting(order, protocol)
    sheet = Sheet.open(order.data).watch_by(progress, protocol.passes)
    encoding = _encoding(order, sheet)
    try:
        offer = protocol.prepare(order, EncodedTable(sheet, encoding))
        for _ in offer.read(offer.outside):  # all of it, so that all can go wrong that can
            pass
    except UnveilError as error:
        raise UnveilError(_list_problems(str(error), sheet, encoding, protocol)) from error
    # None stands for the operating system.
    rng = None if order.seed is None else np.random.default_rng(order.seed)
    released = offer.mechanism.publish(offer.read(None), rng, **offer.how)
    require(released.records > 1, f"{order.data} has a single row, which nothing hides: release more records together")
    public = {**released.parameters, "table": offer.table.encoding.describe(), **offer.public}
    released = replace(released, parameters=public)
    save(released, order.out, lambda: _note(order, offer))
    said = f"{order.out}: {order.protocol} of {released.records} records by {released.mechanism}"
    seeded = "" if order.seed is None else "SIMULATION, drawn from a seed: "
    notes = [
        *_notes(offer, released.records, listed=bool(encoding.classes)),
        *filter(None, [protocol.warn_of(released)]),
    ]
    return f"{seeded}{said}; {protocol.describe_level(released)}", notes


def _list_problems(first: str, sheet: Sheet, encoding: Encoding, protocol: Protocol) -> str:
    """What was found first, and what is wrong with the other columns: all of it can be mended at once."""
    found = [first]
    # Tags are learned from words, which are neither numbers nor of a list.
    for column in (*encoding.features, encoding.label) if protocol.tasks != ("tags",) else ():
        try:
            for batch in sheet.batches([column.name]):
                if column.categories is not None or (column is encoding.label and column.range is None):
                    batch.texts(column.name)
                else:
                    column.shares(batch)
        except UnveilError as error:
            found += [str(error)] * (str(error) not in first)
    return first if len(found) == 1 else f"{len(found)} problems: " + "; ".join(found)


def _note(order: Order, offer: Offer) -> None:
    """In the ledger, if there is one; what it refuses is never handed out."""
    if order.ledger:
        limit = inf if order.limit is None else order.limit
        what = f"{order.protocol} in {order.out}{offer.about}"
        Ledger(order.ledger, limit).spend(order.records or order.data.name, *offer.level, what)


def require_fitting(order: Order, protocol: Protocol) -> None:
    """Raise where options do not go together, or where the release cannot be written."""
    for name in ("epsilon", "sets", "ledger"):
        given, needed = getattr(order, name) is not None, name in protocol.needed
        # Where nothing is promised there is nothing to spend.
        applies = needed or (name == "ledger" and "epsilon" in protocol.needed)
        why = f": {protocol.promises_nothing}" if protocol.promises_nothing else ""
        require(applies or not given, f"--{name} does not apply to {order.protocol}{why}")
        require(given or not needed, f"--{name} is needed for {order.protocol}")
    own = {option.name for option in protocol.options}
    strange = [name for name, value in order.more.items() if value not in (None, False) and name not in own]
    require(not strange, f"--{''.join(strange[:1]).replace('_', '-')} does not apply to {order.protocol}")
    require(order.ledger or (order.records is None and order.limit is None), "--records and --limit need --ledger")
    require(order.limit is None or order.limit >= 0, f"--limit must be a number of at least 0, not {order.limit}")
    seeded = order.seed is not None
    require(not seeded or order.simulation, "--seed needs --simulation: whoever knows it can take the noise off")
    require(not order.simulation or seeded, "--simulation needs --seed: without one the release would be real")
    require(not seeded or (order.seed or 0) >= 0, "--seed must not be negative")
    require_free(order.out, "a release")
    for path in (order.out, order.data, order.schema):
        apart = order.ledger is None or path is None or order.ledger.absolute() != path.absolute()
        require(apart, f"--ledger must be a file of its own, not {path}")


def _encoding(order: Order, sheet: Sheet) -> Encoding:
    """Which columns are features, and what is public about each."""
    schema = read_schema(order.schema, order.ranges)
    sides = [order.label, *([order.sets] if order.sets else []), *([order.id] if order.id is not None else [])]
    sheet.require_columns(sides)
    require(len({*sides}) == len(sides), f"--label, --sets and --id must name different columns, not {sides}")
    if order.features is None:
        names = [name for name in sheet.names if name not in sides]
        index = [name for name in sheet.index_like() if name in names]
        shown = index[0] if index else ""
        leave = f"leave it out by --id {shown!r}" if shown.strip() else "save the table without its index"
        require(not index, f"{sheet.path}: column {shown!r} numbers the rows: {leave}, or list the --features")
    else:
        # As in a line of CSV: a name that holds a comma stands in quotes.
        try:
            names = [name.strip() for name in next(csv.reader([order.features], skipinitialspace=True))]
        except csv.Error as error:
            raise UnveilError(f"--features must be a line of names as in CSV: {error}") from error
        sheet.require_columns(names)
        require(len({*names}) == len(names), "--features must list each column once")
        both = [name for name in names if name in sides]
        require(not both, f"--features must not hold {both[:1]}: it is the label, the sets or the id")
    require(names, f"{sheet.path} has no column left for a feature")
    used = {*names, order.label}
    for name in (text.rpartition("=")[0] for text in order.ranges):
        sheet.require_columns([name])
        require(name in used, f"--range {name}: it is neither a feature nor the label")
    features = tuple(schema.get(name, Column(name)) for name in names)
    return Encoding(features, schema.get(order.label, Column(order.label)), order.sets)


def _notes(offer: Offer, records: int, *, listed: bool) -> list[str]:
    """For the owner's eyes: how often the data left what was declared, and which names of classes it gives away."""
    notes = [*(describe_outside(name, n, records) for name, n in offer.outside.items() if n), *offer.notes]
    encoding = offer.table.encoding
    if encoding.classes and not listed:
        label, classes = encoding.label.name, ", ".join(encoding.classes[:20])
        notes.append(
            f"the classes of {label!r} become public, as the column shows them: {classes}; list them in --schema"
        )
    return notes
