"""`make list`: every target, what it shows, and what it cost: in this folder's run, else in the last whole one."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import shorten

from tools.configuration import shipped
from tools.costs import configured_pictures, cost_table
from tools.site.collected import ACROSS, Collected


def shows(caption: str) -> str:
    """The first sentence of a caption's template, without markup; what is filled in later stands as dots."""
    text = re.sub(r":\w+:`([^`]*)`|``([^`]*)``", r"\1\2", " ".join(caption.split()))
    text = re.sub(r"\{[^}]*\}", "…", text)
    return re.split(r"(?<=[^A-Z.\d]\.)\s", text, maxsplit=1)[0].rstrip(".")


def lines(root: Path, width: int) -> Iterator[str]:
    """One line a figure, and one for what a run makes of all of them."""
    captions = configured_pictures(root)
    pictures, logs = (shipped(root)["folders"][name] for name in ("figures", "logs"))
    own = cost_table(captions, root / logs)
    spent = Collected(root / "docs" / "gallery").costs
    spent |= {(row.paper, row.figure): (row.cpu_minutes, row.peak_gib) for row in own.itertuples()}
    targets = [f"{pictures}/{paper}/{figure}.pdf" for paper, figure in captions]
    widest = max(map(len, targets))
    for (name, caption), target in zip(captions.items(), targets, strict=True):
        cost = f"{spent[name][0]:5.1f} CPU min {spent[name][1]:4.1f} GiB" if name in spent else " " * 23
        words = shows(caption.read_text(encoding="utf-8")) if caption.is_file() else ""
        yield f"{target:<{widest}}  {cost}  {shorten(words, max(width - widest - 27, 20), placeholder=' …')}"
    for target, (_, words) in ACROSS.items():
        yield f"{f'{pictures}/{target}.pdf':<{widest}}  {'':23}  {words}"


if __name__ == "__main__":
    print("make one with `snakemake --cores 4 TARGET`, all of them with `make figures`", file=sys.stderr)  # noqa: T201
    print(*lines(Path(), shutil.get_terminal_size((160, 40)).columns), sep="\n")  # noqa: T201
