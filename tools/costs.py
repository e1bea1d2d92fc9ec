"""What each figure costs, as the jobs of a run noted it at their ends."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from tools.configuration import shipped

Figure = tuple[str, str]


def costs(folder: Path) -> list[tuple[float, float]]:
    """CPU seconds and peak memory (MiB) of every job whose note lies in `folder`; one that was killed left none."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.cost.json")))
    notes = [json.loads(text) for text in texts if text]
    return [(note["cpu_seconds"], note["peak_mib"]) for note in notes]


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
        minutes = f" ({known[name][0]:.1f})" if name in known else ""
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
