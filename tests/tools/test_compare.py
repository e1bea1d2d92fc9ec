"""Two runs side by side: what came, what went, what moved, and which verdicts turned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tools import compare

from replication.judging.judge import COLUMNS
from unveil.errors import UnveilError

pytestmark = pytest.mark.filterwarnings("ignore:The 'float_precision' argument")


def scores(seed: int, levels: tuple[float, ...] = (0.1, 0.2), shift: float = 0.0) -> pd.DataFrame:
    """Twenty trials of two methods at some levels."""
    rng = np.random.default_rng(seed)
    rows = [(level, method, trial) for level in levels for method in ("clean", "noisy") for trial in range(20)]
    table = pd.DataFrame(rows, columns=["p_flip", "method", "trial"])
    return table.assign(accuracy=rng.random(len(table)) + shift * (table["method"] == "noisy"))


def run(folder: Path, table: pd.DataFrame, verdict: str = "reproduced", ours: float = 0.5) -> Path:
    """A folder of results with one figure and one claim."""
    (folder / "spread/fig1").mkdir(parents=True)
    table.to_csv(folder / "spread/fig1/scores.csv", index=False)
    known = {"paper": "spread", "claim": "a-claim", "verdict": verdict, "trials": 10, "settings": 3, "threshold": 0.1}
    seen = {"unit": "points", "ours": ours, "low": ours - 0.1, "high": ours + 0.1, "margin": 5 * ours}
    pd.DataFrame([known | seen], columns=COLUMNS).to_csv(folder / "claims.csv", index=False)
    return folder


def test_a_shift_is_measured_in_the_column_that_moved() -> None:
    (moved,) = compare.compare_scores("spread/fig1", scores(1), scores(1, shift=0.25)).to_dict("records")
    assert (moved["what"], moved["rows"]) == ("accuracy", 40)
    assert moved["mean"] == pytest.approx(0.125)
    assert moved["most"] == pytest.approx(0.25)
    assert moved["size"] == pytest.approx(0.125 / scores(1)["accuracy"].std(ddof=0))


def test_another_level_is_rows_that_come_and_go() -> None:
    found = compare.compare_scores("spread/fig1", scores(1), scores(1, levels=(0.1, 0.3)))
    assert found[["what", "rows"]].to_numpy().tolist() == [["only in A", 40], ["only in B", 40]]


def test_the_order_of_rows_does_not_matter_and_missing_values_equal_missing_values_only() -> None:
    table = scores(1)
    table.loc[0, "accuracy"] = np.nan
    assert compare.compare_scores("f", table, table.sample(frac=1, random_state=0)).empty
    assert compare.compare_scores("f", scores(1), table)["rows"].tolist() == [1]


def test_a_verdict_that_turned_is_told_with_what_was_seen(tmp_path: Path) -> None:
    first = run(tmp_path / "a", scores(1))
    second = run(tmp_path / "b", scores(1, shift=0.2), "contradicted", ours=-0.5)
    said = "\n".join(compare.describe(*compare.compare_figures(first, second), compare.compare_claims(first, second)))
    assert "1 of 1 figures in both differ" in said
    assert "accuracy differs in 40 rows, by +0.100 on average and 0.200 at most" in said
    assert "1 verdicts changed, 0 more claims were seen otherwise" in said
    assert "a-claim: reproduced, 0.50 points (0.40 to 0.60) → contradicted, −0.50 points (−0.60 to −0.40)" in said


def test_it_is_drawn_where_something_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, output = run(tmp_path / "a", scores(1)), tmp_path / "figures/compare.svg"
    compare.main(first, run(tmp_path / "same", scores(1)), output)
    assert "0 of 1 figures in both differ" in capsys.readouterr().out
    assert not output.exists()
    compare.main(first, run(tmp_path / "b", scores(2), "contradicted", ours=-0.5), output)
    assert "spread/fig1 accuracy" in output.read_text(encoding="utf-8") or output.stat().st_size > 5000
    assert not list(output.parent.glob("*.tmp"))


def test_runs_without_a_common_figure_are_an_error(tmp_path: Path) -> None:
    first = run(tmp_path / "a", scores(1))
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnveilError, match="share no figure"):
        compare.compare_figures(first, tmp_path / "empty")
