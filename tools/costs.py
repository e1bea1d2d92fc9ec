"""What each figure costs, as the jobs of a run noted it at their ends: the table in the README.

`python -m tools.costs` writes the table anew; `make gallery` calls it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from tools.configuration import shipped

BEGIN, END = "<!-- figures: made by `make gallery` -->", "<!-- end of figures -->"


def costs(folder: Path) -> list[tuple[float, float]]:
    """CPU seconds and peak memory (MiB) of every job whose note lies in `folder`; one that was killed left none."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.cost.json")))
    notes = [json.loads(text) for text in texts if text]
    return [(note["cpu_seconds"], note["peak_mib"]) for note in notes]


def figure_table(figures: Iterable[tuple[str, str]], logs: Path) -> str:
    """Figure, command, CPU minutes of its own jobs and peak memory, in Markdown."""
    lines = ["| figure | command | CPU minutes | peak memory |", "| --- | --- | --- | --- |"]
    for paper, figure in figures:
        jobs = costs(logs / paper / figure)
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
