"""Every row of the bench runs, at a small size; times themselves are never asserted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tools.bench import kernels, streams
from tools.bench.measure import Kernel, Measured, measure
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
]


@pytest.mark.slow
@pytest.mark.parametrize("kernel", SMALL, ids=lambda kernel: kernel.name)
def test_every_kernel_and_its_reference_run(kernel: Kernel) -> None:
    for work in kernel.make(np.random.default_rng(0)):
        work()


def test_every_measured_kernel_is_tested_in_small() -> None:
    of_one_size = {"mean_operator_fit", "count_posterior_exact", "count_tagger_pass", "supervised_pass"}
    assert {kernel.name for kernel in kernels.KERNELS} == {kernel.name for kernel in SMALL} | of_one_size


def test_runs_alternate_and_the_median_counts() -> None:
    ran: list[str] = []
    kernel = Kernel("x", "", "", 1.0, lambda _: (lambda: ran.append("ours"), lambda: ran.append("reference")), 3)
    assert measure(kernel, np.random.default_rng(0)).ratio > 0
    assert ran == ["ours", "reference"] * 4
    assert Measured(3.0, 2.0).ratio == 1.5


def test_the_table_and_its_picture() -> None:
    kernel = Kernel("x", "10", "y", 1e9, lambda _: (lambda: sum(range(1000)), lambda: sum(range(1000))), 1)
    table = bench([kernel], seed=1)
    assert list(table.columns) == ["kernel", "size", "ours_s", "reference", "reference_s", "ratio", "target", "met"]
    assert table["met"].all()
    with style.applied():
        figure = draw(pd.concat([table, table.assign(ratio=2e9, met=False)]))
        assert len(figure.axes[0].get_yticks()) == 2
