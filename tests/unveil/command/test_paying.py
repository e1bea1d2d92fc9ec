"""The budget is spent for what comes out: all else is done before, and what was noted is never lost."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from errno import EIO, EPERM
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from planting import start_fault
from unveil import files
from unveil.command.owner import release
from unveil.errors import UnveilError
from unveil.ledger import Ledger
from unveil.mechanisms.exact_sums import GeometricCounts
from unveil.protocols.base import Release
from unveil.protocols.protocol import Order


@pytest.fixture
def order(tmp_path: Path) -> Order:
    rows = "".join(f"0.{k},{'yes' if k % 3 else 'no'},{'ab'[k % 2]}\n" for k in range(1, 10))
    (tmp_path / "t.csv").write_text(f"x,y,s\n{rows}")
    places: dict[str, Any] = {"data": tmp_path / "t.csv", "out": tmp_path / "out" / "r", "ledger": tmp_path / "spent"}
    (tmp_path / "out").mkdir()
    return Order("ratios", label="y", sets="s", epsilon=0.5, records="people", **places)


def spent(order: Order) -> float:
    return Ledger(str(order.ledger)).spent("people")[0]


@pytest.mark.parametrize(
    ("error", "system"), [(OSError(EIO, "failed"), True), (MemoryError(), False), (KeyboardInterrupt(), False)]
)
def test_a_fault_after_the_spending_loses_nothing(
    error: BaseException, system: bool, order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every call after it: the release has its name, or lies whole under the one that it had before."""
    raised: Callable[[], bool]
    spend = Ledger.spend

    def spend_and_plant(*arguments: Any) -> None:
        nonlocal raised
        spend(*arguments)
        raised = start_fault(number, error, system=system)

    for number in count(1):
        with monkeypatch.context() as patch:
            patch.setattr(Ledger, "spend", spend_and_plant)
            try:
                release(order)
            except UnveilError as said:
                assert str(list(order.out.parent.glob(".unveil-*"))[0]) in str(said)  # noqa: PT017, RUF015
            except (KeyboardInterrupt, MemoryError):
                pass
            finally:
                sys.setprofile(None)
        left = [*order.out.parent.iterdir()]
        assert spent(order) == pytest.approx(0.5 * number)
        assert order.out in left or len(left) == 1
        assert all(Release.load(path).records == 9 for path in left)
        for path in left:
            path.unlink()
        if not raised():
            break
    assert number > 2


def test_a_fault_before_the_spending_spends_nothing(order: Order, monkeypatch: pytest.MonkeyPatch) -> None:
    """While noise is drawn, while it is written, and while it is read again; nothing is left of it."""

    def fail(*_: Any, **__: Any) -> Any:
        raise OSError(EIO, "failed")

    for place, name in [(GeometricCounts, "publish"), (os, "fsync"), (os, "chmod"), (Path, "open"), (files, "mkstemp")]:
        with monkeypatch.context() as patch:
            patch.setattr(place, name, fail)
            with pytest.raises((UnveilError, OSError)):
                release(order)
        assert (spent(order), [*order.out.parent.iterdir()]) == (0.0, [])


def test_what_the_ledger_refuses_is_not_left(order: Order) -> None:
    Ledger(str(order.ledger)).spend("people", 0.75)
    order = Order(**{**vars(order), "limit": 1.0})
    with pytest.raises(UnveilError, match="nothing was spent"):
        release(order)
    assert [*order.out.parent.iterdir()] == []


def test_a_file_system_without_links_will_do(order: Order, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    release(order)
    assert [*order.out.parent.iterdir()] == [order.out]
    assert Release.load(order.out).records == 9
    with pytest.raises(UnveilError, match="exists"):
        files.create(order.out, [b"other"])
    assert spent(order) == 0.5


def test_categories_and_scales_beyond_all_bounds_cost_nothing(order: Order, tmp_path: Path) -> None:
    many = {"x": {"categories": [f"{k}" for k in range(66_000)]}, "y": {"range": [0, 1]}}
    (tmp_path / "many.json").write_text(json.dumps({"columns": many}))
    (tmp_path / "t.csv").write_text("x,y\n1,0\n2,1\n")
    changed = {"protocol": "products", "sets": None, "schema": tmp_path / "many.json"}
    with pytest.raises(UnveilError, match="65,536"):
        release(Order(**{**vars(order), **changed}))
    for scale in ("1e-310", "1e-300", "1e-100"):
        (tmp_path / "t.csv").write_text(f"x,y\n{scale},0\n{scale},1\n")
        with pytest.raises(UnveilError, match="X must not be so small"):
            release(Order(**{**vars(order), "protocol": "mean-operator", "sets": None}))
    assert spent(order) == 0.0
