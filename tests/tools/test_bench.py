"""Every row of the bench runs, at a small size; times themselves are never asserted."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tools.bench import report, tagging_cost
from tools.bench.measure import Pair, Row, Took, measure_all
from tools.bench.rows import all_rows

from replication import style
from replication.data.sets.treebank import stand_in
from unveil.types import Arrays

#: Sizes that what is given is cut down to.
SMALL = {
    "bags": 40, "points": 30, "features": 50, "records": 300, "states": 5, "vectors": 10, "shards": 2,
    "images": 20, "pixels": 16, "samples": 3, "size": 10, "tests": 2,
}  # fmt: skip
#: What was never compiled takes too long; of rows with the same works the first is tried.
WARM = [row for row in all_rows({}) if row.given.get("cache") != "never compiled before"]
ROWS = {row.pair: row for row in reversed(WARM)}.values()


@cache
def treebank(sentences: int = 300) -> Arrays:
    """Drawn text, of which so many sentences train."""
    fields = stand_in(np.random.default_rng(0))
    return {**fields, "split": (np.arange(len(fields["sentences"]) - 1) >= sentences).astype(np.uint8)}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.kernel}-{row.reference}")
def test_every_kernel_and_its_reference_run(row: Row) -> None:
    given = {**row.given, **{name: min(row.given[name], SMALL[name]) for name in row.given.keys() & SMALL}}
    if "treebank" in given:
        given["treebank"] = treebank()
    try:
        pair = row.pair(np.random.default_rng(0), **given)
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed")
    for work in pair:
        work()


#: The columns and the rows that are promised.
COLUMNS = ["kernel", "size", "ours_s", "reference", "reference_s", "ratio", "target", "met", "kind"]
CONTRACT = {
    "mmd_gram", "randomized_response", "coordinate_release", "per_value_release", "count_posterior_exact",
    "count_tagger_pass", "supervised_pass", "spread_e_step", "spread_e_step_z", "mean_operator_fit",
    "mean_operator_sparse", "statistic_release", "products_release", "ratio_predict", "cold_start", "dirichlet_scale",
    "crossover_fit", "counts_release",
}  # fmt: skip


def test_every_promised_kernel_has_its_row() -> None:
    assert {row.kernel for row in all_rows({})} == CONTRACT


def sleepless(seconds: float) -> Row:
    """A row that takes one second on each side, as it says, and is allowed that or less."""
    return Row(
        "x",
        "{n} things",
        "y",
        lambda *_, **given: (lambda: Took(given["n"] / 10),) * 2,
        {"n": 10},
        seconds,
        1,
        ("limit", "peer"),
    )


def test_a_peer_that_is_not_installed_costs_its_own_row_alone(capsys: pytest.CaptureFixture[str]) -> None:
    def missing(_: object) -> Pair:
        raise ModuleNotFoundError("gone", name="somebody")

    table = measure_all([Row("left out", "", "somebody", missing, {}), sleepless(0.5)], seed=1)
    assert "left out: no row against somebody, since somebody is not installed" in capsys.readouterr().err
    assert list(table.columns) == COLUMNS
    assert table[["size", "ours_s", "reference_s", "target", "met", "kind"]].to_numpy().tolist() == [
        ["10 things", 1.0, 1.0, 0.5, False, "limit"],
        ["10 things", 1.0, 1.0, 1.0, True, "peer"],
    ]


def test_runs_alternate_after_both_are_warm() -> None:
    ran: list[str] = []
    pair = (lambda: ran.append("ours"), lambda: ran.append("reference"))
    assert measure_all([Row("x", "", "", lambda _: pair, {}, repeats=3)], 1)["ratio"].item() > 0
    assert ran == ["ours", "reference"] * 4


def test_picture_and_page_show_rows_of_either_kind_and_what_was_missed(tmp_path: Path) -> None:
    for folder in ("results", "figures", "docs/measured"):
        (tmp_path / folder).mkdir(parents=True)
    table = measure_all([sleepless(0.5), sleepless(2.0)], seed=1)
    with style.applied():
        assert [len(axes.get_yticks()) for axes in report.draw(table).axes] == [2, 2]
    table.to_csv(tmp_path / "results/bench.csv", index=False)
    for study in ("bench", "tagging_cost"):
        (tmp_path / f"figures/{study}.svg").write_text("<svg/>")
    report.publish(tmp_path)
    limits, peers = (tmp_path / "docs/bench.md").read_text().split("## Against peers")
    assert limits.count("**no**") == limits.count("| yes |") == 1
    assert peers.count("| yes |") == 2
    assert (tmp_path / "docs/measured/bench.svg").is_file()


@pytest.mark.slow
def test_accuracy_grows_with_seconds_on_the_same_windows() -> None:
    text = treebank(3_000)
    rows = [
        row
        for name in ("moments", "marginal_beam", "marginal_exact")
        for row in tagging_cost.curve(text, name, 5, seed=1, evaluate_at=(0.01, 0.5))
    ]
    table = pd.DataFrame(rows, columns=tagging_cost.COLUMNS)
    for _, part in table.groupby("estimator"):
        assert part["seconds"].is_monotonic_increasing
        assert part["accuracy"].iloc[1] > part["accuracy"].iloc[0]
    with style.applied():
        assert tagging_cost.draw(table).axes[0].get_xlabel() == "seconds of training"
