"""Every row of the bench runs, at a small size; times themselves are never asserted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tools.bench import cold, crossing, kernels, page, peers, streams, sums, tagging, tagging_cost
from tools.bench.measure import Kernel, Measured, Took, Work, measure
from tools.bench.report import bench, draw

from replication import style

SMALL = [
    kernels.mmd_gram(30, bags=3, features=5),
    kernels.randomized_response(1_000),
    kernels.coordinate_release(1_000, 7),
    kernels.per_value_release(100, 50),
    streams.statistic_release(1_000, 5),
    streams.products_release(1_000, 5, shards=2),
    kernels.dirichlet_scale(10),
    kernels.spread_e_step("pixel", 20, 16, 3),
    kernels.spread_e_step("z", 20, 16, 3),
    sums.ratio_predict(20, 10, 3, 2),
    sums.mean_operator_sparse("lbfgs", 1_000),
    peers.kernel_sums(30, 3, 5),
    peers.response_by_opendp(20),
    peers.response_by_multi_freq(20),
    peers.bits_by_multi_freq(10, 10),
    peers.sum_by_opendp(100, 3),
    peers.ratios_by_quapy(40, 10, 3, 2),
    crossing.crossover_fit("marginal", 300),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kernel", SMALL, ids=lambda kernel: f"{kernel.name}-{kernel.reference}")
def test_every_kernel_and_its_reference_run(kernel: Kernel) -> None:
    try:
        pair = kernel.make(np.random.default_rng(0))
    except ImportError as error:
        pytest.skip(f"{error.name} is not installed")
    for work in pair:
        work()


def test_every_measured_kernel_is_tested_in_small() -> None:
    rows = [*kernels.KERNELS, *sums.SUMS, *cold.COLD, *tagging.tagging(), *peers.PEERS, *crossing.CROSSING]
    of_one_size = {"mean_operator_fit", "count_posterior_exact", "count_tagger_pass", "supervised_pass", "cold_start"}
    assert {kernel.name for kernel in rows} == {kernel.name for kernel in SMALL} | of_one_size
    assert {kernel.name for kernel in rows} == CONTRACT


#: The columns and the rows that are promised.
COLUMNS = ["kernel", "size", "ours_s", "reference", "reference_s", "ratio", "target", "met", "kind"]
CONTRACT = {
    "mmd_gram", "randomized_response", "coordinate_release", "per_value_release", "count_posterior_exact",
    "count_tagger_pass", "supervised_pass", "spread_e_step", "spread_e_step_z", "mean_operator_fit",
    "mean_operator_sparse", "statistic_release", "products_release", "ratio_predict", "cold_start", "dirichlet_scale",
    "crossover_fit",
}  # fmt: skip


def test_a_peer_that_is_not_installed_costs_its_own_row_alone(capsys: pytest.CaptureFixture[str]) -> None:
    def missing(_: object) -> tuple[Work, Work]:
        raise ModuleNotFoundError("gone", name="somebody")

    def work() -> object:
        return None

    kept = Kernel("kept", "", "twice", 1e9, lambda _: (work, lambda: Took(2.0)), 1, alike=True)
    table = bench([Kernel("left out", "", "somebody", 1.0, missing, kind="peer"), kept], seed=1)
    assert "left out: no row against somebody, since somebody is not installed" in capsys.readouterr().err
    assert table["kind"].tolist() == ["limit", "peer"]
    assert table["reference_s"].tolist() == [2.0, 2.0]
    assert table["target"].tolist() == [1e9, 1.0]


def test_runs_alternate_and_the_median_counts() -> None:
    ran: list[str] = []
    kernel = Kernel("x", "", "", 1.0, lambda _: (lambda: ran.append("ours"), lambda: ran.append("reference")), 3)
    assert measure(kernel, np.random.default_rng(0)).ratio > 0
    assert ran == ["ours", "reference"] * 4
    assert Measured(3.0, 2.0).ratio == 1.5


def test_the_table_and_its_picture() -> None:
    kernel = Kernel("x", "10", "y", 1e9, lambda _: (lambda: sum(range(1000)), lambda: sum(range(1000))), 1)
    table = bench([kernel], seed=1)
    assert list(table.columns) == COLUMNS
    assert table["met"].all()
    with style.applied():
        slower = table.assign(ratio=2e9, met=False)
        figure = draw(pd.concat([table, slower, slower.assign(kind="peer")]))
        assert [len(axes.get_yticks()) for axes in figure.axes] == [2, 1]


def test_the_page_shows_rows_of_either_kind_and_what_was_missed(tmp_path: Path) -> None:
    kernel = Kernel("x", "10", "y", 1e9, lambda _: (lambda: sum(range(1000)), lambda: sum(range(1000))), 1, alike=True)
    table = bench([kernel], seed=1).assign(met=[True, False])
    for folder in ("results", "figures", "docs/gallery"):
        (tmp_path / folder).mkdir(parents=True)
    table.to_csv(tmp_path / "results/bench.csv", index=False)
    for study in ("bench", "tagging_cost"):
        (tmp_path / "figures" / f"{study}.svg").write_text("<svg/>")
    page.main(tmp_path)
    text = (tmp_path / "docs/bench.md").read_text()
    assert "Against limits" in text
    assert "Against peers" in text
    assert text.count("**no**") == 1
    assert (tmp_path / "docs/measured/bench.svg").is_file()


@pytest.mark.slow
def test_accuracy_grows_with_seconds_on_the_same_windows() -> None:
    text = dict(tagging.drawn_fields(np.random.default_rng(0)))
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
        assert tagging_cost.draw(table).axes[1].get_xlabel() == "seconds of training"
