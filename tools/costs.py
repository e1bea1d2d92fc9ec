"""What each figure costs, as the jobs of a run noted it at their ends.

`python -m tools.costs` writes `workflow/costs.csv`, by which runs start long jobs first, from
the notes of the last runs at both scales; `make gallery` calls it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from replication.engine.costs import TABLE, notes, strands
from replication.engine.pictures import questions_of
from tools.configuration import shipped

Figure = tuple[str, str]
#: Where the runs at both scales keep their logs.
SCALES = ("logs", "logs/sample")


def costs(folder: Path) -> list[tuple[float, float]]:
    """CPU seconds and peak memory (MiB) of every job whose note lies in `folder`; one that was killed left none."""
    return [(cost.cpu_seconds, cost.peak_mib) for _, cost in notes(folder)]


def cost_table(figures: Iterable[Figure], logs: Path) -> pd.DataFrame:
    """CPU minutes of each figure's own jobs, without its data sets, and the largest of their memories."""
    noted = {name: costs(logs.joinpath(*name)) for name in figures}
    rows = [
        [*name, round(sum(seconds for seconds, _ in jobs) / 60, 2), round(max(peak for _, peak in jobs) / 1024, 2)]
        for name, jobs in noted.items()
        if jobs
    ]
    return pd.DataFrame(rows, columns=["paper", "figure", "cpu_minutes", "peak_gib"])


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


def table_lines(runs: Iterable[tuple[str, Path]]) -> list[str]:
    """The lines of the shipped table: for each folder of logs the mean CPU seconds and the peak of a strand's jobs."""
    lines = ["logs,job,cpu_seconds,peak_mib"]
    for name, logs in runs:
        # One scale keeps its logs inside the other's.
        own = ((job, cost) for job, cost in notes(logs) if f"{name}/{job.partition('/')[0]}" not in SCALES)
        lines += [
            f"{name},{job},{cost.cpu_seconds:.1f},{cost.peak_mib:.0f}" for job, cost in sorted(strands(own).items())
        ]
    return lines


def main() -> None:
    """Write the table anew; a scale without a run keeps its rows."""
    known = TABLE.read_text(encoding="utf-8").splitlines()[1:] if TABLE.is_file() else []
    head, *fresh = table_lines((name, Path(name)) for name in SCALES)
    again = {line.partition(",")[0] for line in fresh}
    kept = [line for line in known if line.partition(",")[0] not in again]
    TABLE.write_text("\n".join([head, *sorted([*kept, *fresh])]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
