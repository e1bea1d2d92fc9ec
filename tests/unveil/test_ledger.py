"""A ledger adds up, refuses, and notices what was done to it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from errno import EIO
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.random import default_rng

import unveil
from planting import plant_fault
from unveil import ledger as ledger_module
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


def three_lines(path: Path) -> list[bytes]:
    """Those of a ledger that noted three releases, behind its first line."""
    path.unlink(missing_ok=True)
    for epsilon in (0.5, 0.25, 0.9):
        Ledger(path).spend("all", epsilon)
    return path.read_bytes().splitlines(keepends=True)


def assert_stops(path: Path, content: bytes) -> str:
    """Nothing is told of such a ledger and nothing added, in one line of error."""
    path.write_bytes(content)
    for call in (lambda: Ledger(path).spend("all", 0.1), lambda: Ledger(path).spent("all")):
        with pytest.raises(UnveilError, match=r"line \d+: the ledger was altered or cut off") as refused:
            call()
    assert path.read_bytes() == content
    assert "\n" not in str(refused.value)
    return str(refused.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_whatever_is_altered_is_noticed(path: Path, data: st.DataObject) -> None:
    """A byte anywhere, the order or number of lines, or the end, the last line as well as any other."""
    lines = three_lines(path)
    whole = b"".join(lines)
    place = data.draw(st.integers(0, len(whole) - 1))
    kind = data.draw(st.sampled_from(["byte", "cut", "lines", "hole"]))
    if kind == "byte":
        harmed = whole[:place] + bytes([data.draw(st.integers(0, 255))]) + whole[place + 1 :]
    elif kind == "cut":
        harmed = whole[:place]
    elif kind == "lines":
        harmed = b"".join(data.draw(st.lists(st.sampled_from(lines), max_size=5)))
    else:
        harmed = whole[:place] + whole[place + data.draw(st.integers(1, 99)) :]
    if harmed != whole:
        assert_stops(path, harmed)


def test_the_line_that_was_harmed_is_named(path: Path) -> None:
    lines = three_lines(path)
    for harmed, number in {
        b"": 1,
        b"".join(lines[1:]): 1,
        lines[0] + lines[2]: 2,
        b"".join(lines[:-1]): 4,
        b"".join([*lines[:-1], lines[-1].replace(b"0.9", b"0.0")]): 4,
        b"".join([*lines, b"{}\n"]): 5,
        b"".join([*lines, lines[-1]]): 5,
    }.items():
        assert f"line {number}:" in assert_stops(path, harmed)


@pytest.mark.parametrize(
    "strange", [b"\xff\xfe\0\x80", b"[" * 200_000, b"9" * 400, b"9" * 5000, b"[1]", b"\0" * 999, b"null"]
)
def test_strange_content_ends_in_one_line(strange: bytes, path: Path) -> None:
    lines = three_lines(path)
    for harmed in ([strange, b"\n"], [*lines, strange, b"\n"], [lines[0].replace(b"3", strange), *lines[1:]]):
        assert_stops(path, b"".join(harmed))


@pytest.mark.parametrize(
    "level", ["NaN", "-0.5", "Infinity", "1e400", "9" * 400, "1", "true", '"0"', "null", '0.5, "epsilon": 0.0']
)
def test_a_level_that_is_none_is_refused_under_a_right_seal(level: str, path: Path) -> None:
    """It would switch the limit off; and a key that stands twice would be read as its last."""
    line = f'{{"records": "all", "epsilon": {level}, "delta": 0.0, "what": ""}}'
    seal = sha256(f"{ledger_module._START}{line}".encode()).hexdigest()
    sealed = f'{line[:-1]}, "seal": "{seal}"}}\n'.encode()
    good = sealed.replace(level.encode(), b"0.5")
    assert_stops(path, ledger_module._head(1, seal) + sealed)
    assert_stops(path, ledger_module._head(1, seal) + good)


def test_what_a_killed_process_left_counts_if_it_is_whole(path: Path) -> None:
    """Whoever was killed before the first line told of it got no release, but might have; half a line is dropped."""
    first, *lines = three_lines(path)
    second = ledger_module._head(2, json.loads(lines[1])["seal"])
    path.write_bytes(b"".join([second, *lines]))
    assert Ledger(path).spent("all")[0] == pytest.approx(1.65)
    for rest in (lines[2][:-1], b"\0" * 200, b"{"):
        path.write_bytes(b"".join([second, *lines[:2], rest]))
        assert Ledger(path).spent("all")[0] == pytest.approx(0.75)
        Ledger(path).spend("all", 0.125)
        assert Ledger(path).spent("all")[0] == pytest.approx(0.875)
        assert path.read_bytes().count(b"\n") == 4
    assert len(first) == len(second)


def test_one_name_has_one_budget_however_it_is_written(path: Path) -> None:
    ledger = Ledger(path, epsilon=1.0)
    names = ["Zo\u00eb \ufb01le", "Zoe\u0308 file", " Zo\u00eb\u00a0  file\n"]
    ledger.spend(names[0], 0.75)
    assert [ledger.spent(name)[0] for name in names] == [0.75] * 3
    for name in names:
        with pytest.raises(UnveilError, match="nothing was spent"):
            ledger.spend(name, 0.5)


@pytest.mark.parametrize(
    "arguments",
    [
        *[("a", level) for level in (-1.0, float("nan"), float("inf"), 10**400, True, "1", None)],
        *[("a", 1.0, level) for level in (-1, float("nan"), 10**400)],
        *[(name, 1.0) for name in ("", " \n", None, b"a")],
    ],
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
    [
        ((float("nan"),), "epsilon must be a number"),
        ((10**400,), "epsilon must be a number"),
        ((1.0, -1.0), "delta must be a number"),
        ((1.0, 1e-3, "tight"), "composition must be"),
        ((float("inf"), 1e-3, "optimal"), "needs a finite epsilon"),
    ],
)
def test_impossible_compositions(limits: tuple[Any, ...], message: str, path: Path) -> None:
    with pytest.raises(UnveilError, match=message):
        Ledger(path, *limits)


def test_a_line_says_what_was_released_about_whom(path: Path) -> None:
    Ledger(path).spend("patients", 0.5, 1e-6, what="means")
    Ledger(path).spend("patients", 0.25)
    _, first, second = map(json.loads, path.read_text().splitlines())
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
    assert path.read_text().count("\n") == 41


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
    assert path.read_text().count("\n") == 2


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
    assert path.read_text().count("\n") == 3


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_ledger_is_a_plain_file(kind: str, path: Path, tmp_path: Path) -> None:
    if kind == "link":
        path.symlink_to(tmp_path / "other")
    else:
        {"pipe": os.mkfifo, "folder": os.mkdir}[kind](path)
    with pytest.raises(UnveilError, match="cannot open the ledger"):
        Ledger(path).spend("all", 0.1)


@pytest.mark.parametrize("begun", [False, True])
def test_a_spending_that_fails_spends_nothing(begun: bool, path: Path) -> None:
    """At every call to the system: what is not noted whole is not noted."""
    spent = 0.0
    for number in count(1):
        if not begun:
            path.unlink(missing_ok=True)
            spent = 0.0
        with suppress(UnveilError), plant_fault(number, OSError(EIO, "failed"), system=True) as planted:
            Ledger(path).spend("all", 0.125)
            spent += 0.125
        assert Ledger(path).spent("all")[0] == spent
        if not planted():
            break
    assert number > 9


@pytest.mark.parametrize("kind", PUBLISHING)
def test_noting_is_the_last_that_publish_does(kind: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could fail was done before: no call can follow, but returns."""
    calls: list[str] = []
    spend = Ledger.spend

    def spend_and_watch(*arguments: Any) -> None:
        spend(*arguments)
        sys.setprofile(lambda _, event, what: calls.append(str(what)) if "call" in event else None)

    monkeypatch.setattr(Ledger, "spend", spend_and_watch)
    PUBLISHING[kind](ledger=Ledger(path), records="all")
    sys.setprofile(None)
    assert [call for call in calls if "setprofile" not in call] == []


def test_what_could_not_be_written_is_not_paid_for(path: Path) -> None:
    for names in ((0, float("inf")), (0, "\ud800")):
        with pytest.raises(ValueError):  # noqa: PT011 - as the file has it
            unveil.GeometricMeanOperator(0.75).publish((X, Y), classes=names, ledger=Ledger(path), records="all")
    assert not path.exists()
