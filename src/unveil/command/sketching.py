"""`unveil schema`: the file in which an owner and a learner agree on ranges and lists, with the gaps to fill in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from unveil.cells import number_order
from unveil.errors import UnveilError, require
from unveil.files import create
from unveil.protocols.columns import Column
from unveil.protocols.sheets import Sheet
from unveil.tables import Table

#: A text column of a public table with more values is no list of categories.
MOST_CATEGORIES = 50


def sketch(data: Path, out: Path | None, public: bool) -> tuple[str, list[str]]:
    """The schema as text, or where it was written; and what to say of it."""
    sheet = Sheet.open(data)
    index, notes = sheet.index_like(), []
    names = [name for name in sheet.names if name not in index]
    if index:
        notes.append(f"left out, as they number the rows: {', '.join(map(repr, index))}")
    columns: dict[str, dict[str, Any]] = {}
    kinds = Table(data).columns()
    for name in names:
        try:
            found = find_own(sheet, name).describe() if public else _gap(kinds[name])
            columns[name] = {what: value for what, value in found.items() if what != "column"}
        except UnveilError as error:
            notes.append(f"left out: {error}")
    if not public:
        notes.append(
            "only names and types were looked at. Fill in what is known without these rows (a form, a code book): the "
            "smallest and largest value that there may be, and every category; what the rows show would tell about them"
        )
    text = json.dumps({"columns": columns}, indent=2, ensure_ascii=False) + "\n"
    if out is None:
        return text.rstrip(), notes
    create(out, [text.encode()])
    return f"{out}: {len(columns)} columns", notes


def _gap(kind: str) -> dict[str, Any]:
    """What is to be filled in, which no command takes as it is."""
    return {"categories": []} if kind == "text" else {"range": [None, None]}


def find_own(sheet: Sheet, name: str, numeric: bool = False) -> Column:
    """A column of a public table with its own range, or its own categories where it holds text."""
    low, high, seen = np.inf, -np.inf, set[str]()
    try:
        for batch in sheet.batches([name]):
            values = batch.numbers(name)
            low, high = min(low, float(values.min())), max(high, float(values.max()))
    except UnveilError as error:
        if numeric or "which is text" not in str(error):
            raise
        for batch in sheet.batches([name]):
            seen.update(batch.texts(name).unique().to_pylist())
        many = f"{sheet.path}, column {name!r} holds {len(seen)} different texts: leave it out"
        require(len(seen) <= MOST_CATEGORIES, many)
        return Column(name, categories=tuple(number_order(list(seen))))
    return Column(name, range=(low, high if high > low else low + 1))
