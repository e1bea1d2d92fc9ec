"""The owner's command: from a table with private columns to a release file.

All that can go wrong is tried before noise is drawn, and before the ledger notes it: what was drawn counts as
released. Noise is exact and the operating system's, unless it is a simulation.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from unveil.command.learner import require_other
from unveil.command.schema import Encoding, Schema
from unveil.command.sheets import Progress, Sheet
from unveil.command.veils import PASSES, VEILS, Order, Veil
from unveil.errors import require
from unveil.files import require_free
from unveil.ledger import Ledger

if TYPE_CHECKING:
    from unveil.protocols import Release

#: Options that apply to some protocols only.
_APPLY = {
    "epsilon": ("mean-operator", "products", "ratios", "records"),
    "ledger": ("mean-operator", "products", "ratios", "records"),
    "delta": ("ratios",),
    "sets": ("ratios", "tags"),
    "window": ("tags",),
    "asked": ("tags",),
    "states": ("records",),
}
_NEEDED = {"epsilon": _APPLY["epsilon"], "sets": _APPLY["sets"]}


def release(order: Order, progress: Progress | None = None) -> tuple[str, list[str]]:
    """Write the release file; what to tell the owner of it, and what of the data."""
    _require_options(order)
    require_free(order.out, "a release")
    require_other(order.out, "--out", order.data, order.schema, order.ledger)
    sheet = Sheet.open(order.data).watched(progress, PASSES[order.protocol])
    schema = Schema.read(order.schema, order.ranges)
    encoding = _encoding(order, sheet, schema)
    veil = VEILS[order.protocol](order, sheet, encoding)
    if order.ledger:
        limit = inf if order.limit is None else order.limit
        what = f"{order.protocol} in {order.out}"
        Ledger(order.ledger, limit).spend(order.records or order.data.name, *veil.level, what=what)
    released = veil.publish(_source(order))
    parameters = {**released.parameters, "table": veil.encoding.described(), **veil.public}
    released = replace(released, parameters=parameters)
    released.save(order.out)
    return _said(order, released), _notes(veil, listed=bool(encoding.classes))


def _require_options(order: Order) -> None:
    for name, protocols in _APPLY.items():
        given = getattr(order, name) is not None
        require(
            not given or order.protocol in protocols, f"--{name} does not apply to {order.protocol}{_why(order, name)}"
        )
        needed = order.protocol in _NEEDED.get(name, ())
        require(given or not needed, f"--{name} is needed for {order.protocol}")
    require(order.ledger or (order.records is None and order.limit is None), "--records and --limit need --ledger")
    seeded = order.seed is not None
    require(not seeded or order.simulation, "--seed needs --simulation: whoever knows it can take the noise off")
    require(not order.simulation or seeded, "--simulation needs --seed: without one the release would be real")
    require(not seeded or (order.seed or 0) >= 0, "--seed must not be negative")


def _why(order: Order, name: str) -> str:
    if order.protocol == "tags" and name in ("epsilon", "ledger"):
        return ": counts of tags are exact and promise no privacy"
    return ""


def _encoding(order: Order, sheet: Sheet, schema: Schema) -> Encoding:
    """Which columns are features, and what is public about each."""
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
        names = [name.strip() for name in order.features.split(",")]
        sheet.require_columns(names)
        require(len({*names}) == len(names), "--features must list each column once")
        both = [name for name in names if name in sides]
        require(not both, f"--features must not hold {both[:1]}: it is the label, the sets or the id")
    require(names, f"{sheet.path} has no column left for a feature")
    used = {*names, order.label}
    for name in (text.rpartition("=")[0] for text in order.ranges):
        sheet.require_columns([name])
        require(name in used, f"--range {name}: it is neither a feature nor the label")
    return Encoding(tuple(schema[name] for name in names), schema[order.label], order.sets)


def _source(order: Order) -> Any:
    """None stands for the operating system."""
    return None if order.seed is None else np.random.default_rng(order.seed)


def _said(order: Order, released: Release) -> str:
    seeded = "" if order.seed is None else "SIMULATION, drawn from a seed: "
    level = (
        "no privacy is promised"
        if released.exact_epsilon == inf
        else (
            f"epsilon {released.exact_epsilon:.9g}"
            + (f", delta {released.exact_delta:g}" if released.exact_delta else "")
        )
    )
    return f"{seeded}{order.out}: {order.protocol} of {released.records} records by {released.mechanism}; {level}"


def _notes(veil: Veil, *, listed: bool) -> list[str]:
    """For the owner's eyes: how often the data left what was declared, and which names of classes it gives away."""
    notes = [
        f"{count} values of {name!r} lie outside its public range or list, and were taken as its ends, or as none of it"
        for name, count in veil.outside.items()
        if count
    ]
    if veil.encoding.classes and not listed:
        label, classes = veil.encoding.label.name, ", ".join(veil.encoding.classes[:20])
        notes.append(
            f"the classes of {label!r} become public, as the column shows them: {classes}; list them in --schema"
        )
    return notes
