"""A few constructions of reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from textwrap import indent

BADGES = {
    "reproduced": "success",
    "conditional": "warning",
    "contradicted": "danger",
    "undecided": "secondary",
    "untestable": "muted",
}


def plain(text: object) -> str:
    """Text in which nothing is markup."""
    return re.sub(r"([\\*`|_])", r"\\\1", " ".join(str(text).split()))


def heading(text: str, line: str = "=") -> str:
    """A title, at least as long as its line."""
    return f"{text}\n{line * (2 * len(text))}\n"


def badge(verdict: str, text: str = "") -> str:
    """A verdict in its colour."""
    return f":bdg-{BADGES[verdict]}:`{text or verdict}`"


def table(header: Sequence[str], rows: Iterable[Sequence[str]], widths: str = "auto", kind: str = "") -> str:
    """A table of cells in reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}"]
    lines += [f"   :class: {kind}"] if kind else []
    for row in [header, *rows]:
        cells = [f"- {cell}" for cell in row]
        lines += ["", "   * " + cells[0], *(f"     {cell}" for cell in cells[1:])]
    return "\n".join(lines) + "\n"


def directive(name: str, argument: str, content: str = "", **options: str) -> str:
    """A directive with its options, and its content indented."""
    lines = [f".. {name}:: {argument}".rstrip(), *(f"   :{key}: {value}".rstrip() for key, value in options.items())]
    return "\n".join([*lines, "", indent(content, "   "), ""])
