"""A ledger adds up, refuses, and notices what was done to it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

import unveil
from unveil.errors import UnveilError
from unveil.ledger import Ledger
from unveil.privacy.composition import composed_delta
from unveil.protocols.base import Release


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spent.jsonl"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 1), st.floats(0, 0.1)), max_size=12))
def test_what_is_spent_adds_up_by_group_and_never_exceeds(path: Path, asked: list[tuple[str, float, float]]) -> None:
    path.unlink(missing_ok=True)
    ledger = Ledger(path, epsilon=2.0, delta=0.2)
    spent = {"a": (0.0, 0.0), "b": (0.0, 0.0)}
    for records, epsilon, delta in asked:
        total = spent[records][0] + epsilon, spent[records][1] + delta
        if total[0] <= 2.0 and total[1] <= 0.2:
            ledger.spend(records, epsilon, delta)
            spent[records] = total
        elif total[0] > 2.0001 or total[1] > 0.20001:
            with pytest.raises(UnveilError, match="nothing was spent"):
                ledger.spend(records, epsilon, delta)
        else:
            return  # so near the limit that rounding decides
    for records, total in spent.items():
        assert Ledger(path).spent(records) == pytest.approx(total)


def test_ten_tenths_fill_a_budget_of_one(path: Path) -> None:
    ledger = Ledger(path, epsilon=1.0)
    for _ in range(10):
        ledger.spend("all", 0.1)
    with pytest.raises(UnveilError, match="above the limit of 1"):
        ledger.spend("all", 0.001)


@pytest.mark.parametrize(
    ("harm", "line"),
    [
        (lambda lines: [lines[0], lines[2]], 2),
        (lambda lines: lines[1:], 1),
        (lambda lines: [lines[0], lines[1].replace("0.5", "0.1"), lines[2]], 3),
        (lambda lines: [*lines[:2], lines[2][:-9]], 3),
        (lambda lines: [*lines, "{}\n"], 4),
        (lambda lines: [lines[0], "[1]\n", *lines[1:]], 2),
    ],
)
def test_an_altered_ledger_stops_every_release(harm: Callable[[list[str]], list[str]], line: int, path: Path) -> None:
    ledger = Ledger(path)
    for _ in range(3):
        ledger.spend("all", 0.5)
    path.write_text("".join(harm(path.read_text().splitlines(keepends=True))))
    before = path.read_bytes()
    for call in (lambda: ledger.spend("all", 0.1), lambda: ledger.spent("all")):
        with pytest.raises(UnveilError, match=rf"line {line}: the ledger was altered or cut off"):
            call()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "arguments", [("", 1.0), ("a", -1.0), ("a", float("nan")), ("a", float("inf")), ("a", 1.0, -1)]
)
def test_impossible_spendings(arguments: tuple[Any, ...], path: Path) -> None:
    with pytest.raises(UnveilError, match="must"):
        Ledger(path).spend(*arguments)
    assert not path.exists()


def test_many_small_releases_cost_less_than_their_sum(path: Path) -> None:
    """Optimal composition, refused exactly where the exact δ at the limit of ε exceeds the limit of δ."""
    ledger = Ledger(path, 1.0, 1e-3, composition="optimal")
    levels: list[tuple[float, float]] = []
    while composed_delta([*levels, (0.05, 1e-6)], 1.0) <= 1e-3:
        ledger.spend("all", 0.05, 1e-6)
        levels.append((0.05, 1e-6))
    assert len(levels) > 25  # their sum alone would allow 20
    with pytest.raises(UnveilError, match=r"delta at epsilon 1 would be 0\.00\d+ for 'all', above the limit of 0\.001"):
        ledger.spend("all", 0.05, 1e-6)
    epsilon, delta = ledger.spent("all")
    assert delta == 1e-3
    assert 0.95 < epsilon <= 1.0
    assert Ledger(path).spent("all") == pytest.approx((0.05 * len(levels), 1e-6 * len(levels)))
    with pytest.raises(UnveilError, match="epsilon would be"):
        Ledger(path, 1.0, 1e-3).spend("all", 0.05)


def test_optimal_composition_refuses_nothing_that_sums_allow(path: Path) -> None:
    ledger = Ledger(path, 1.0, 0.0, composition="optimal")
    for _ in range(10):
        ledger.spend("all", 0.1)
    with pytest.raises(UnveilError, match="nothing was spent"):
        ledger.spend("all", 0.001)


@pytest.mark.parametrize(
    ("limits", "message"),
    [((1.0, 1e-3, "tight"), "composition must be"), ((float("inf"), 1e-3, "optimal"), "needs a finite epsilon")],
)
def test_impossible_compositions(limits: tuple[Any, ...], message: str, path: Path) -> None:
    with pytest.raises(UnveilError, match=message):
        Ledger(path, *limits)


def test_a_line_says_what_was_released_about_whom(path: Path) -> None:
    Ledger(path).spend("patients", 0.5, 1e-6, what="means")
    Ledger(path).spend("patients", 0.25)
    first, second = map(json.loads, path.read_text().splitlines())
    assert {name: first[name] for name in ("records", "epsilon", "delta", "what")} == {
        "records": "patients", "epsilon": 0.5, "delta": 1e-6, "what": "means",
    }  # fmt: skip
    assert (second["what"], second["delta"]) == ("", 0.0)
    assert abs(datetime.fromisoformat(first["when"]) - datetime.now(UTC)) < timedelta(minutes=10)


def test_two_processes_never_spend_the_same_budget(path: Path) -> None:
    program = (
        "import sys\nfrom unveil.ledger import Ledger\nspent = 0\n"
        "for _ in range(40):\n"
        "    try:\n        Ledger(sys.argv[1], epsilon=5.0).spend('all', 0.125)\n        spent += 1\n"
        "    except ValueError:\n        pass\n"
        "print(spent)"
    )
    command = [sys.executable, "-c", program, str(path)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert sum(int(process.communicate()[0]) for process in both) == 40
    assert Ledger(path).spent("all") == (5.0, 0.0)
    assert path.read_text().count("\n") == 40


X, Y = np.eye(4)[:, :2], np.array([0, 1, 1, 0])
PUBLISHING: dict[str, Callable[..., Release]] = {
    "mean operator": partial(unveil.GeometricMeanOperator(0.75).publish, (X, Y), classes=(0, 1)),
    "float mean operator": partial(
        unveil.MeanOperatorRelease(0.75, "laplace", l1_bound=1.0).publish, (X, Y), default_rng(0), classes=(0, 1)
    ),
    "products": partial(unveil.ExactProducts(0.75).publish, (X, X[:, 0])),
    "products in one draw": partial(unveil.CoordinateRelease(0.75).publish, (X, X[:, 0]), default_rng(0)),
    "products by bits": partial(unveil.PerValueRelease(0.75, 5).publish, (X, X[:, 0]), default_rng(0)),
    "counts": partial(unveil.GaussianCounts(0.75, 1e-4, exact=True).publish, [[5, 7], [9, 2]]),
    "records": partial(unveil.NoisyRecords(0.4, 0.4).publish, (X.astype(int), Y)),
}


@pytest.mark.parametrize("kind", PUBLISHING)
def test_a_release_is_handed_out_once_its_level_is_noted(kind: str, path: Path) -> None:
    publish = PUBLISHING[kind]
    release = publish(ledger=Ledger(path), records="all")
    level = release.exact_epsilon, release.exact_delta
    assert Ledger(path).spent("all") == pytest.approx(level)
    assert kind.startswith("records") or 0.3 < level[0] < 1.0
    with pytest.raises(UnveilError, match="nothing was spent"):
        publish(ledger=Ledger(path, epsilon=1.5 * level[0]), records="all")
    with pytest.raises(UnveilError, match="records must say"):
        publish(ledger=Ledger(path))
    assert path.read_text().count("\n") == 1


def test_shards_are_noted_once(path: Path, tmp_path: Path) -> None:
    shards = [tmp_path / f"{k}.csv" for k in range(3)]
    for shard in shards:
        shard.write_text("a,b,y\n0.5,0.25,1\n0.1,0.2,0\n")
    spent = 0.0
    arguments: list[tuple[Any, dict[str, Any]]] = [
        (unveil.ExactProducts(0.75), {}),
        (unveil.GeometricMeanOperator(0.75), {"classes": (0, 1)}),
    ]
    for mechanism, how in arguments:
        release = unveil.publish_shards(mechanism, shards, ["a", "b"], "y", ledger=Ledger(path), records="all", **how)
        spent += release.exact_epsilon
    assert Ledger(path).spent("all")[0] == pytest.approx(spent)
    assert path.read_text().count("\n") == 2


def test_a_ledger_is_no_link(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "other")
    with pytest.raises(UnveilError, match="cannot open the ledger"):
        Ledger(path).spend("all", 0.1)
