"""What each figure costs, read from the `benchmark:` files of a run: the table in the README.

`python -m tools.costs` writes the table anew; `make gallery` calls it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path

from tools.configuration import shipped

BEGIN, END = "<!-- figures: made by `make gallery` -->", "<!-- end of figures -->"


def benchmarks(folder: Path) -> list[tuple[float, float]]:
    """CPU seconds and peak memory (MiB) of every job whose benchmark file lies in `folder`."""
    rows = []
    for path in sorted(folder.rglob("*.tsv")):
        with path.open(encoding="utf-8") as file:
            rows += [
                (_number(row["cpu_time"]) or float(row["s"]), _number(row["max_rss"]))
                for row in csv.DictReader(file, delimiter="\t")
            ]
    return rows


def _number(text: str) -> float:
    """Very short jobs have no readings."""
    return 0.0 if text in ("NA", "-") else float(text)


def figure_table(figures: Iterable[tuple[str, str]], logs: Path) -> str:
    """Figure, command, CPU minutes of its own jobs and peak memory, in Markdown."""
    lines = ["| figure | command | CPU minutes | peak memory |", "| --- | --- | --- | --- |"]
    for paper, figure in figures:
        jobs = benchmarks(logs / paper / figure)
        minutes = f"{sum(seconds for seconds, _ in jobs) / 60:.1f}" if jobs else ""
        memory = f"{max(peak for _, peak in jobs) / 1024:.1f} GiB" if jobs else ""
        command = f"`snakemake --cores 4 figures/{paper}/{figure}.pdf`"
        lines.append(f"| {paper} {figure} | {command} | {minutes} | {memory} |")
    return "\n".join(lines)


def with_table(readme: str, table: str) -> str:
    """The README with its table of figures replaced."""
    return re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{table}\n{END}", readme, flags=re.DOTALL)


def configured_figures(root: Path) -> list[tuple[str, str]]:
    """Every (paper, figure) of the project's configuration, in its order."""
    papers = shipped(root)["papers"]
    return [(paper, figure) for paper, block in papers.items() for figure in block["figures"]]


if __name__ == "__main__":
    page = Path("README.md")
    table = figure_table(configured_figures(Path()), Path("logs"))
    page.write_text(with_table(page.read_text(encoding="utf-8"), table), encoding="utf-8")
