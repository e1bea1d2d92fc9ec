"""What each figure costs, as the jobs of a run noted it at their ends.

`python -m tools.costs` writes `workflow/costs.csv`, by which runs start long jobs first, from
the notes of the last runs at both scales; `make gallery` calls it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from replication.engine.costs import TABLE, notes, strand
from replication.engine.pictures import questions_of
from tools.configuration import shipped

Figure = tuple[str, str]
#: Where the runs at both scales keep their logs.
SCALES = ("logs", "logs/sample")


def cost_table(figures: Iterable[Figure], logs: Path) -> pd.DataFrame:
    """CPU minutes of each figure's own jobs, without its data sets, and the largest of their memories."""
    rows = [
        (*name, cost.cpu_seconds / 60, cost.peak_mib / 1024)
        for name in figures
        for _, cost in notes(logs.joinpath(*name))
    ]
    table = pd.DataFrame(rows, columns=["paper", "figure", "cpu_minutes", "peak_gib"])
    own = table.groupby(["paper", "figure"], as_index=False, sort=False)
    return own.agg({"cpu_minutes": "sum", "peak_gib": "max"}).round(2)


def readme_table(figures: Iterable[Figure], known: Mapping[tuple[str, ...], tuple[float, float]]) -> str:
    """A row a paper: its figures, each with its CPU minutes where a run noted them."""
    by_paper: dict[str, list[str]] = {}
    for name in figures:
        spent = known[name][0] if name in known else None
        minutes = "" if spent is None else " (< 0.1)" if spent < 0.05 else f" ({spent:.1f})"
        by_paper.setdefault(name[0], []).append(f"{name[1]}{minutes}")
    lines = ["| paper | figures (CPU minutes) | all |", "| --- | --- | ---: |"]
    for paper, cells in by_paper.items():
        total = sum(minutes for (owner, _), (minutes, _) in known.items() if owner == paper)
        lines.append(f"| {paper} | {', '.join(cells)} | {total:.0f} |")
    return "\n".join(lines)


def configured_figures(root: Path) -> list[Figure]:
    """Every (paper, figure) of the project's configuration, in its order."""
    papers = shipped(root)["papers"]
    return [(paper, figure) for paper, block in papers.items() for figure in block["figures"]]


def configured_pictures(root: Path) -> dict[Figure, Path]:
    """The same, each figure followed by its neighbours, with the templates of their captions."""
    code = root / "src" / "replication" / "papers"
    return {
        (paper, f"{figure}{asked}"): code / paper / figure / f"caption{asked}.rst"
        for paper, figure in configured_figures(root)
        for asked in ("", *(f"_{question}" for question in questions_of(paper, figure)))
    }


def strand_table(name: str, logs: Path) -> pd.DataFrame:
    """The rows of one folder of logs in the shipped table: the mean CPU seconds and the peak of each strand's jobs."""
    # One scale keeps its logs inside the other's.
    own = [(job, cost) for job, cost in notes(logs) if f"{name}/{job.partition('/')[0]}" not in SCALES]
    rows = [(name, strand(job), cost.cpu_seconds, cost.peak_mib) for job, cost in own]
    table = pd.DataFrame(rows, columns=["logs", "job", "cpu_seconds", "peak_mib"])
    strands = table.groupby(["logs", "job"], as_index=False)
    return strands.agg({"cpu_seconds": "mean", "peak_mib": "max"}).round({"cpu_seconds": 1, "peak_mib": 0})


def main() -> None:
    """Write the table anew; a scale without a run keeps its rows."""
    fresh = pd.concat([strand_table(name, Path(name)) for name in SCALES])
    known = pd.read_csv(TABLE) if TABLE.is_file() else fresh
    table = pd.concat([known[~known["logs"].isin(fresh["logs"])], fresh]).sort_values(["logs", "job"])
    table.astype({"peak_mib": int}).to_csv(TABLE, index=False)


if __name__ == "__main__":
    main()
