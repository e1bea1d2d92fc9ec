"""`make list`: every target, what it cost and what it showed: in this folder's run, else in the last whole one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from replication.judging import words
from replication.palette import VERDICTS
from tools.configuration import shipped
from tools.costs import configured_figures, configured_pictures, cost_table
from tools.gallery import FOLDER
from tools.site.collected import ACROSS, Collected


def lines(root: Path) -> Iterator[str]:
    """A line a target with its cost, and below it the first finding of the figure; last, what rests on all of them."""
    folders = shipped(root)["folders"]
    kept, own = Collected(root / FOLDER), Collected(root / folders["results"])
    table = cost_table(configured_figures(root), root / folders["logs"])
    spent = kept.costs | {(row.paper, row.figure): (row.cpu_minutes, row.peak_gib) for row in table.itertuples()}
    rows = own.rows or kept.rows
    for name in configured_pictures(root):
        cost = "  {:.1f} CPU min, {:.1f} GiB".format(*spent[name]) if name in spent else ""
        yield f"{folders['figures']}/{'/'.join(name)}.pdf{cost}"
        if first := words.lead(row for row in rows if (row["paper"], row["figure"]) == name):
            yield f"    {VERDICTS[first['verdict']].symbol} {words.finding(first)}"
    for target, (_, says) in ACROSS.items():
        yield f"{folders['figures']}/{target}.pdf"
        yield f"    {says}"


if __name__ == "__main__":
    print("make one with `snakemake --cores 4 TARGET`, all of them with `make figures`", file=sys.stderr)  # noqa: T201
    print(*lines(Path()), sep="\n")  # noqa: T201
