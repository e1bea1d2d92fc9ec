"""What the site's page to play with shows: errors of every method at the levels and sizes that figures measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from replication import style
from replication.engine.task import read_scores
from replication.palette import METHODS

KEYS = ["dataset", "epsilon", "records", "method"]


class Task(NamedTuple):
    """What is measured by which figures, whether less is better, and which of their columns and rows say it."""

    name: str
    measure: str
    less: bool
    figures: tuple[str, ...]
    columns: dict[str, str]
    rows: Callable[[pd.DataFrame], pd.Series]


TASKS = (
    # What is no method that could be taken, but a level, is left out.
    Task("classify records, from flipped labels", "share of wrong labels", True,
         ("crossover/epsilon", "crossover/size"),
         {"epsilon": "epsilon", "records": "n", "method": "estimator", "value": "error"},
         lambda table: table["estimator"] != "clean"),
    Task("estimate class ratios, from veiled sets or labels", "L1 error of class ratios", True,
         ("class_ratio/today",),
         {"epsilon": "epsilon", "records": "n", "method": "method", "value": "error"},
         lambda table: table["unit"] == "label"),
    # Chosen without private labels.
    Task("classify records, from one released statistic", "accuracy", False, ("mean_operator/release",),
         {"epsilon": "alpha", "records": "m", "method": "mechanism", "value": "accuracy"},
         lambda table: (table["loss"] == "logistic") & (table["rule"] == "released")),
    Task("regress, from released products", "R²", False, ("linear_moments/fig6",),
         {"epsilon": "alpha", "records": "n_train", "method": "estimator", "value": "r2"},
         lambda table: (table["panel"] == "alpha") & ~table["centred"].astype(bool)),
)  # fmt: skip


def summarise(task: Task, scores: pd.DataFrame) -> dict[str, Any]:
    """Means and 95 % intervals over trials."""
    own = scores[task.rows(scores)]
    table = own.assign(**{name: own[column] for name, column in task.columns.items()})
    table["method"] = _label(table["method"])
    trials = table.groupby([*KEYS, "trial"], as_index=False)["value"].mean()
    cells = style.interval(trials, KEYS, "value")[[*KEYS, "mean", "low", "high"]].round(4).astype(object)
    # JSON has no infinity: no veil at all is told as such.
    cells["epsilon"] = [value if value < float("inf") else "none" for value in cells["epsilon"]]
    return {"task": task.name, "measure": task.measure, "less": task.less, "rows": cells.to_numpy().tolist()}


def _label(names: pd.Series) -> pd.Series:
    """What figures call the methods; nothing where there is none."""
    return names.map({name: method.label for name, method in METHODS.items()}).astype(object).where(names.notna(), "")


def list_leaders(scores: pd.DataFrame) -> list[list[Any]]:
    """Who surely leads where figure `crossover/phase` asked."""
    table = scores[scores["question"] == "best"].round({"margin": 4, "low": 4, "high": 4})
    named = table.assign(winner=_label(table["winner"]), leader=_label(table["leader"]))
    cells = named[["dataset", "epsilon", "n", "winner", "leader", "margin", "low", "high"]].astype(object)
    return list(map(list, cells.itertuples(index=False)))


def write(results: Path, file: Path) -> None:
    """What this run measured, one row a line, so that changes can be read."""
    wanted = {"crossover/phase", *(name for task in TASKS for name in task.figures)}
    files = {name: results / name / "scores.csv" for name in wanted}
    known = {name: read_scores(file) for name, file in files.items() if file.is_file()}
    scored = [(task, [known[name] for name in task.figures if name in known]) for task in TASKS]
    leaders = list_leaders(known["crossover/phase"]) if "crossover/phase" in known else []
    content = {"tasks": [summarise(task, pd.concat(parts)) for task, parts in scored if parts], "leaders": leaders}
    lines = json.dumps(content, ensure_ascii=False).replace("], [", "],\n[")
    file.write_text(lines + "\n", encoding="utf-8")
