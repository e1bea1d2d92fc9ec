"""A ledger adds up, refuses, and notices what was done to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unveil.errors import UnveilError
from unveil.ledger import Ledger


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
    "harm",
    [
        lambda lines: [lines[0], lines[2]],
        lambda lines: lines[1:],
        lambda lines: [lines[0], lines[1].replace("0.5", "0.1"), lines[2]],
        lambda lines: [*lines[:2], lines[2][:-9]],
        lambda lines: [*lines, "{}\n"],
        lambda lines: [lines[0], "[1]\n", *lines[1:]],
    ],
)
def test_an_altered_ledger_stops_every_release(harm: Callable[[list[str]], list[str]], path: Path) -> None:
    ledger = Ledger(path)
    for _ in range(3):
        ledger.spend("all", 0.5)
    path.write_text("".join(harm(path.read_text().splitlines(keepends=True))))
    before = path.read_bytes()
    for call in (lambda: ledger.spend("all", 0.1), lambda: ledger.spent("all")):
        with pytest.raises(UnveilError, match=r"line \d: the ledger was altered or cut off"):
            call()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "arguments", [("", 1.0), ("a", -1.0), ("a", float("nan")), ("a", float("inf")), ("a", 1.0, -1)]
)
def test_impossible_spendings(arguments: tuple[Any, ...], path: Path) -> None:
    with pytest.raises(UnveilError, match="must"):
        Ledger(path).spend(*arguments)
    assert not path.exists()


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


def test_a_ledger_is_no_link(path: Path, tmp_path: Path) -> None:
    path.symlink_to(tmp_path / "other")
    with pytest.raises(UnveilError, match="cannot open the ledger"):
        Ledger(path).spend("all", 0.1)
