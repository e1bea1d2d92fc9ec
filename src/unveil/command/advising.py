"""`unveil advise`: which veil and estimator to take for data of a shape, by trying them on data that is not private."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from unveil.advice.recommending import recommend
from unveil.command.sketching import find_own
from unveil.errors import UnveilError, require
from unveil.files import create, replace, require_free
from unveil.protocols.columns import Column, Encoding, find_classes
from unveil.protocols.sheets import Progress, Sheet
from unveil.types import Array

#: What the arguments of `recommend` are called in the command.
OPTIONS = {"n": "--rows", "d": "--columns", "sets": "--sets", "trials": "--trials", "epsilon": "--epsilon"}


def advise(
    rows: int,
    columns: int,
    task: str,
    epsilon: float,
    like: Path | None,
    label: str | None,
    sets: int,
    trials: int,
    figure: Path | None,
    force: bool,
    progress: Progress | None = None,
) -> str:
    """The table of what was tried, and the commands of the best choice."""
    require((like is None) == (label is None), "--like and --label go together: a public table, and its label")
    if figure is not None:
        require(figure.suffix in (".png", ".pdf", ".svg"), f"--figure {figure} must be a .png, .pdf or .svg file")
        from unveil.plotting import new_axes, plot_options

        new_axes(1)  # before all the work
        if not force:
            require_free(figure, "a figure")
    table = None if like is None or label is None else _public(like, label, task)
    width = columns if table is None else table[0].shape[1]
    try:
        found = recommend(rows, width, task, epsilon, sets=sets, trials=trials, like=table, progress=progress)
    except UnveilError as error:
        argument, _, rule = str(error).partition(" ")
        raise UnveilError(f"{OPTIONS.get(argument, argument)} {rule}") from error
    if figure is not None:
        picture = io.BytesIO()
        plot_options(found).figure.savefig(picture, format=figure.suffix[1:], dpi=150)
        (replace if force else create)(figure, [picture.getvalue()])
    return str(found)


def _public(path: Path, label: str, task: str) -> tuple[Array, Array]:
    """A table that is public, so that its own ranges and categories may be looked at."""
    require(task != "tags", "--like does not apply to tags: their text is synthetic")
    sheet = Sheet.open(path)
    sheet.require_columns([label])
    names = [name for name in sheet.names if name != label and name not in sheet.index_like()]
    require(names, f"{path} has no column left for a feature")
    encoding = Encoding(tuple(find_own(sheet, name) for name in names), Column(label))
    target = find_own(sheet, label, numeric=True) if task == "regress" else find_classes(sheet, Column(label))
    many = f"{path}, column {label!r} must hold two classes, not {len(target.categories or ())}"
    require(task == "regress" or len(target.categories or ()) == 2, many)
    parts, labels = [], []
    for batch in sheet.batches([*names, label]):
        parts.append(encoding.matrix(batch))
        labels.append(target.shares(batch)[0] if task == "regress" else target.codes(batch))
    return np.concatenate(parts), np.concatenate(labels)
