"""The bench in the documentation: `python -m tools.bench.page`, after `snakemake --cores 1 bench`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd

from replication.style import markdown_table

ROOT = Path(__file__).resolve().parents[2]
KINDS = {
    "limit": "Against limits: what no implementation can be far below",
    "peer": "Against peers: what a user would take in our place",
}
HEAD = """# How fast it is

Made by `make bench` on one core. The tables are of one interleaved run: ours and its reference take turns on the same
input, and the medians count. A ratio is the time of ours over the reference's; a row is met where it is at most its
target.
"""


def page(bench: pd.DataFrame) -> str:
    """The page: a table of each kind, and the two figures."""
    parts = [HEAD, "![Time over the reference's, for each kernel](measured/bench.svg)\n"]
    for kind, title in KINDS.items():
        own = bench[bench["kind"] == kind].drop(columns="kind")
        if len(own):
            shown = own.assign(met=own["met"].map({True: "yes", False: "**no**"}))
            parts.append(f"## {title}\n\n{markdown_table(shown.round(ROUNDED))}\n")
    parts.append(
        "## Accuracy against seconds\n\nFigure 7's taggers, by what their training takes; below, which is best.\n"
    )
    parts.append("![Test accuracy against seconds of training, by window](measured/tagging_cost.svg)\n")
    return "\n".join(parts).rstrip() + "\n"


#: Digits behind the point of each column.
ROUNDED = {"ours_s": 4, "reference_s": 4, "ratio": 3}


def main(root: Path = ROOT) -> None:
    """Write the page, and copy the pictures beside it: a report has a gallery of its own."""
    table = pd.read_csv(root / "results" / "bench.csv")
    (root / "docs" / "bench.md").write_text(page(table), encoding="utf-8")
    (shown := root / "docs" / "measured").mkdir(exist_ok=True)
    for study in ("bench", "tagging_cost"):
        shutil.copyfile(root / "figures" / f"{study}.svg", shown / f"{study}.svg")


if __name__ == "__main__":
    main()
