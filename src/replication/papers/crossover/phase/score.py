"""The map of winners, the referee: who errs least at each ε and n, by how much, and whether that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from replication.arrays import Fields, Named
from replication.papers.crossover.epsilon.score import score as measure_errors
from replication.papers.crossover.epsilon.settings import Asked
from replication.randomness import Trial
from unveil.types import Floats

#: Of all intervals together.
LEVEL = 0.95
COLUMNS = ["dataset", "epsilon", "n", "winner", "margin", "low", "high"]
MORE = ["question", "leader", "runner_up"]
#: Who is compared: all, or whoever models the veil with whoever ignores it, by one and the same loss.
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "best": ("marginal", "moment", "mean_operator", "naive"),
    "veil": ("marginal", "naive"),
}


def score(
    learned: Mapping[str, Sequence[Named]], fields: Fields, trials: Sequence[Trial], settings: Asked
) -> pd.DataFrame:
    """A row a question and cell: `margin` is by how much the leader errs less than the runner-up, trial by trial."""
    found = measure_errors(learned, fields, trials, settings)
    cells = found.groupby(["dataset", "epsilon", "n"], sort=False)
    rows = [row for cell, part in cells for row in _winners(cell, part, cells.ngroups)]
    return pd.DataFrame(rows)[COLUMNS + MORE]


def _winners(cell: tuple[object, ...], part: pd.DataFrame, cells: int) -> Iterator[dict[str, object]]:
    table = part.pivot_table(index="trial", columns="estimator", values="error")
    about = dict(zip(("dataset", "epsilon", "n"), cell, strict=True))
    for question, names in QUESTIONS.items():
        ranked = table[list(names)].mean().sort_values(kind="stable").index
        leader = ranked[0]
        # Whoever leads might have been any, and any of the others might be as good, in any cell.
        tests = cells * len(names) * (len(names) - 1) / 2
        leads = [compare_pairs(table[rival].to_numpy() - table[leader].to_numpy(), tests) for rival in ranked[1:]]
        margin, low, high = leads[0]
        shown = all(bottom > 0 for _, bottom, _ in leads)
        told = {"margin": margin, "low": low, "high": high, "question": question}
        yield {**about, **told, "winner": leader if shown else "", "leader": leader, "runner_up": ranked[1]}


def compare_pairs(differences: Floats, tests: float) -> tuple[float, float, float]:
    """The mean difference with Student's interval, of which `tests` hold together (Bonferroni)."""
    n, mean = len(differences), float(np.mean(differences))
    if n < 2:
        return mean, -np.inf, np.inf
    half = -stdtrit(n - 1, (1 - LEVEL) / tests / 2) * float(np.std(differences, ddof=1)) / np.sqrt(n)
    return mean, mean - half, mean + half
