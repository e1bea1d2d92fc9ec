"""What the site's page to play with shows: errors of every method at the levels and sizes that figures measured."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from replication import style
from replication.engine.task import read_scores
from replication.palette import METHODS

#: One task a figure or two: how it is called, what is measured, and whether less is better.
TASKS: Mapping[str, tuple[str, str, bool]] = {
    "classify": ("classify records, from flipped labels", "share of wrong labels", True),
    "ratio": ("estimate class ratios, from flipped labels", "L1 error of class ratios", True),
    "statistic": ("classify records, from one released statistic", "accuracy", False),
    "regress": ("regress, from released products", "R²", False),
}
KEYS = ["dataset", "epsilon", "records", "method"]
#: What figures call the methods.
LABELS = {name: method.label for name, method in METHODS.items()}


def observations(results: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each task that the run measured, with columns KEYS, `trial` and `value`."""
    files = {name: results.joinpath(*name.split("/"), "scores.csv") for name in SOURCES}
    known = {name: read_scores(file) for name, file in files.items() if file.is_file()}
    crossed = [known[name] for name in ("crossover/epsilon", "crossover/size") if name in known]
    if crossed:
        table = pd.concat(crossed).rename(columns={"error": "value", "n": "records"})
        table["method"] = table["estimator"].map(LABELS)
        # A level or a limit, no method that could be taken.
        table = table[~table["estimator"].isin(["clean", "information"])]
        for task in ("classify", "ratio"):
            yield task, table[table["task"] == task]
    if "mean_operator/release" in known:
        yield "statistic", _statistic(known["mean_operator/release"])
    if "linear_moments/fig6" in known:
        yield "regress", _regression(known["linear_moments/fig6"])


SOURCES = ("crossover/epsilon", "crossover/size", "mean_operator/release", "linear_moments/fig6")


def _statistic(scores: pd.DataFrame) -> pd.DataFrame:
    table = scores[(scores["loss"] == "logistic") & (scores["rule"] == "released")]  # chosen without private labels
    method = table["mechanism"].map(LABELS)
    return table.assign(method=method, epsilon=table["alpha"], records=table["m"], value=table["accuracy"])


def _regression(scores: pd.DataFrame) -> pd.DataFrame:
    table = scores[(scores["panel"] == "alpha") & ~scores["centred"].astype(bool)]
    method = table["estimator"].map(LABELS)
    return table.assign(method=method, epsilon=table["alpha"], records=table["n_train"], value=table["r2"])


def summary(results: Path) -> dict[str, Any]:
    """Means and 95 % intervals over trials, and who surely leads where figure `crossover/phase` asked."""
    tasks = []
    for task, table in observations(results):
        name, measure, less = TASKS[task]
        trials = table.groupby([*KEYS, "trial"], as_index=False)["value"].mean()
        rows = style.interval(trials, KEYS, "value")
        cells = rows[[*KEYS, "mean", "low", "high"]].round(4).astype(object)
        # JSON has no infinity: no veil at all is told as such.
        cells["epsilon"] = [value if value < float("inf") else "none" for value in cells["epsilon"]]
        tasks.append({"task": name, "measure": measure, "less": less, "rows": cells.to_numpy().tolist()})
    return {"tasks": tasks, "leaders": _leaders(results / "crossover" / "phase" / "scores.csv")}


def _leaders(file: Path) -> list[list[Any]]:
    if not file.is_file():
        return []
    table = read_scores(file)
    table = table[table["question"] == "best"]
    names = [
        table[column].map(LABELS).astype(object).where(table[column].notna(), "") for column in ("winner", "leader")
    ]
    cells = pd.concat([table[["dataset", "epsilon", "n"]], *names, table[["margin", "low", "high"]].round(4)], axis=1)
    rows: list[list[Any]] = cells.astype(object).to_numpy().tolist()
    return rows


def write(results: Path, file: Path) -> None:
    """One row a line, so that changes can be read."""
    lines = json.dumps(summary(results), ensure_ascii=False).replace("], [", "],\n[")
    file.write_text(lines + "\n", encoding="utf-8")
