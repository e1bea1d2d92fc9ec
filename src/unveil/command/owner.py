"""The owner's command: from a table with private columns to a release file.

All that can go wrong is tried before noise is drawn, and before the ledger notes it: what was drawn counts as
released. Noise is exact and the operating system's, unless it is a simulation.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
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
    from unveil.protocols.base import Release

#: Options that apply to some protocols only.
_APPLY = {
    "epsilon": ("mean-operator", "products", "ratios", "records"),
    "ledger": ("mean-operator", "products", "ratios", "records"),
    "delta": ("ratios",),
    "sets": ("ratios", "tags"),
    "window": ("tags",),
    "asked": ("tags",),
    "states": ("records",),
    "clear_features": ("records",),
}
_NEEDED = {"epsilon": _APPLY["epsilon"], "sets": _APPLY["sets"]}


def release(order: Order, progress: Progress | None = None) -> tuple[str, list[str]]:
    """Write the release file; what to tell the owner of it, and what of the data."""
    require_fitting(order)
    if order.epsilon is not None and order.protocol != "records":  # whose features and label have their shares of it
        from unveil.mechanisms.exact_sampling import check_level

        check_level(order.epsilon, "--epsilon")
    sheet = Sheet.open(order.data).watched(progress, PASSES[order.protocol])
    schema = Schema.read(order.schema, order.ranges)
    encoding = _encoding(order, sheet, schema)
    veil = VEILS[order.protocol](order, sheet, encoding)
    public = {"table": veil.encoding.described(), **veil.public}
    return written(order, veil.level, veil.publish, public), _notes(veil, listed=bool(encoding.classes))


def written(
    order: Order, level: tuple[float, float], publish: Callable[[Any], Release], public: Mapping[str, Any]
) -> str:
    """Note the release in the ledger, draw it, write it with what is `public` beside it, and say what it is."""
    if order.ledger:
        limit = inf if order.limit is None else order.limit
        what = f"{order.protocol} in {order.out}{', labels alone' if 'in_the_clear' in public else ''}"
        Ledger(order.ledger, limit).spend(order.records or order.data.name, *level, what=what)
    released = publish(_source(order))
    released = replace(released, parameters={**released.parameters, **public})
    released.save(order.out)
    return _said(order, released)


def require_fitting(order: Order) -> None:
    """Raise where options do not go together, or where the release cannot be written."""
    for name, protocols in _APPLY.items():
        value, option = getattr(order, name), name.replace("_", "-")
        given = value is not None and value is not False
        applies = not given or order.protocol in protocols
        require(applies, f"--{option} does not apply to {order.protocol}{_why(order, name)}")
        needed = order.protocol in _NEEDED.get(name, ())
        require(given or not needed, f"--{option} is needed for {order.protocol}")
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
    require_other(order.out, "--out", order.data, order.schema, order.ledger)


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
        # As in a line of CSV: a name that holds a comma stands in quotes.
        names = [name.strip() for name in next(csv.reader([order.features], skipinitialspace=True), [])]
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
    return f"{seeded}{order.out}: {order.protocol} of {released.records} records by {released.mechanism}; " + _level(
        released
    )


def _level(released: Release) -> str:
    if "in_the_clear" in released.parameters:
        label = released.parameters["label_epsilon"]
        return f"epsilon {label:.9g} of the label alone, the features are published IN THE CLEAR"
    if released.exact_epsilon == inf:
        return "no privacy is promised"
    # Laplace noise as the paper prints it promises more than it keeps.
    overclaimed = released.exact_epsilon > released.claimed_epsilon * (1 + 1e-9)
    claimed = f", though {released.claimed_epsilon:g} is claimed" if overclaimed else ""
    delta = f", delta {released.exact_delta:g}" if released.exact_delta else ""
    return f"epsilon {released.exact_epsilon:.9g}{claimed}{delta}"


def _notes(veil: Veil, *, listed: bool) -> list[str]:
    """For the owner's eyes: how often the data left what was declared, and which names of classes it gives away."""
    notes = [_outside(name, count) for name, count in veil.outside.items() if count]
    if "in_the_clear" in veil.public:
        notes.append(
            f"the release holds {_listed(veil.encoding.names)} of every record in the clear: whoever has it sees them, "
            "and epsilon is about the label alone"
        )
    sets, most = len(veil.public.get("sets", ())), len(veil.encoding.classes)
    if 0 < sets < most:
        notes.append(
            f"{sets} set{'s' if sets > 1 else ''} cannot tell {most} classes apart: nobody learns from this release, "
            "unless it is merged with others"
        )
    if veil.encoding.classes and not listed:
        label, classes = veil.encoding.label.name, ", ".join(veil.encoding.classes[:20])
        notes.append(
            f"the classes of {label!r} become public, as the column shows them: {classes}; list them in --schema"
        )
    return notes


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:8])) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _outside(name: str, count: int) -> str:
    if count == 1:
        return f"1 value of {name!r} lies outside its public range or list, and was taken as its end, or as none of it"
    return (
        f"{count:,} values of {name!r} lie outside its public range or list, and were taken as its ends, "
        "or as none of it"
    )
