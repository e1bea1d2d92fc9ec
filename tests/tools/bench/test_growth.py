"""The scaling study measures what it says, and finds exponents that are known."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.random import Generator
from tools.bench import sweeps
from tools.bench.growth import COLUMNS, Sweep, draw, exponent, exponents, measure_point, scaling
from tools.bench.sweeps import SWEEPS
from tools.costs import costs

from replication import style


def sleeping(value: int, rng: Generator) -> Callable[[], object]:
    return lambda: time.sleep(value / 1000)


def filling(value: int, rng: Generator) -> Callable[[], object]:
    return lambda: np.ones(value * 2**17).sum()


def test_a_power_law_gives_its_power() -> None:
    values = np.array([1, 10, 100, 1_000, 10_000])
    assert exponent(values, 3e-4 * values**1.5) == pytest.approx(1.5)
    # Only the largest values count: what is fixed weighs on the small ones.
    assert exponent(values, np.array([7.0, 7.0, 1e2, 1e3, 1e4])) == pytest.approx(1.0)


def test_time_and_memory_are_those_of_the_work() -> None:
    seconds, _ = measure_point(Sweep("x", "ms", (50,), sleeping, 1), 50, np.random.default_rng(0))
    assert seconds >= 0.05
    # One more MiB of doubles a step of the value, and room for what the interpreter itself takes.
    _, peak = measure_point(Sweep("x", "MiB", (200,), filling, 1), 200, np.random.default_rng(0))
    assert 200 <= peak < 240


def test_a_point_that_dies_is_named() -> None:
    def dies(value: int, rng: Generator) -> Callable[[], object]:
        if value == 2:
            raise SystemExit(3)
        return lambda: None

    with pytest.raises(RuntimeError, match="x at n = 2 ended with 3"):
        scaling([Sweep("x", "n", (1, 2), dies)], 1)


def test_the_table_and_its_picture() -> None:
    sweeps = [Sweep("sleep", "ms", (4, 8, 16), sleeping, 1), Sweep("sleep", "again", (4, 8, 16), sleeping, 1)]
    table = scaling(sweeps, 1)
    assert list(table.columns) == COLUMNS
    assert table["value"].tolist() == [4, 8, 16] * 2
    assert exponents(table.assign(seconds=table["value"] ** 2.0))["seconds"].tolist() == pytest.approx([2, 2])
    with style.applied():
        labels = draw(table).axes[0].get_legend_handles_labels()[1]
        assert [label.split("$")[0] for label in labels] == ["ms", "again"]


@pytest.mark.slow
@pytest.mark.parametrize("sweep", SWEEPS, ids=lambda sweep: f"{sweep.kernel}-{sweep.variable}")
def test_every_sweep_runs_at_its_least_value(sweep: Sweep) -> None:
    if sweep.kernel == "pipeline":
        pytest.skip("runs Snakemake: see the test below")
    sweep.make(sweep.values[0], np.random.default_rng(0))()


@pytest.mark.pipeline
def test_a_whole_run_is_measured() -> None:
    sweep = next(sweep for sweep in SWEEPS if (sweep.kernel, sweep.variable) == ("pipeline", "jobs"))
    table = scaling([dataclasses.replace(sweep, values=(1,))], 1)
    # Jobs are processes of their own; the largest one holds at least NumPy and pandas.
    assert table["peak_mib"].item() > 50


@pytest.mark.pipeline
def test_the_run_that_is_measured_is_the_one_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    learned: list[Path] = []

    def counting(logs: Path) -> list[tuple[float, float]]:
        learned.extend(logs.glob("*/*/learn/*.cost.json"))
        return costs(logs)

    monkeypatch.setattr(sweeps, "costs", counting)
    sweeps.pipeline(trials=2, chunk=1)()
    assert sorted(path.name for path in learned) == [f"breast_cancer-000{k}-000{k}.cost.json" for k in range(2)]
