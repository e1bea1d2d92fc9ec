"""What long work says of how far it is: on a terminal only, and right for each protocol and both kinds of table."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.random import default_rng

from unveil.command import auditing
from unveil.command import main as cli
from unveil.command.learner import predict
from unveil.command.owner import release
from unveil.protocols import PROTOCOLS, sheets
from unveil.protocols.protocol import Order

SOURCE = Path(cli.__file__).parents[2]
COLUMNS = {"x": {"range": [0, 1]}, "number": {"range": [0, 1]}, "kind": {"categories": ["a", "b"]}}


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One table as CSV and as Parquet, of more batches than one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sheets, "ROWS", 100)
    rng = default_rng(0)
    frame = pd.DataFrame({"x": rng.random(400), "number": rng.random(400), "kind": rng.choice(["a", "b"], 400)})
    frame["set"] = np.arange(400) // 40
    frame.to_csv("table.csv", index=False)
    frame.to_parquet("table.parquet")
    Path("schema.json").write_text(json.dumps({"columns": COLUMNS}))


def order(protocol: str, data: str) -> Order:
    label = "number" if protocol == "products" else "kind"
    sets = "set" if protocol in ("ratios", "tags") else None
    epsilon = None if protocol == "tags" else 2.0
    return Order(protocol, Path(data), Path("out"), label, "x", sets=sets, epsilon=epsilon, schema=Path("schema.json"))


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize("data", ["table.csv", "table.parquet"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_release_tells_its_share_from_the_first_batch_to_the_last(protocol: str, data: str) -> None:
    shares: list[float] = []
    release(order(protocol, data), shares.append)
    # Every batch is as large, so the steps are even, and the last one ends at one: all passes are foreseen.
    assert len(shares) >= 8
    assert np.allclose(np.diff([0.0, *shares]), 1 / len(shares))
    assert shares[-1] == 1.0


@pytest.mark.usefixtures("tables")
def test_predictions_tell_their_share() -> None:
    release(order("products", "table.csv"))
    assert cli.main(["fit", "products", "out", "--model", "model"]) == 0
    for data in ("table.csv", "table.parquet"):
        shares: list[float] = []
        predict(Path("model"), Path(data), Path("new.csv"), force=True, progress=shares.append)
        assert shares == [0.25, 0.5, 0.75, 1.0]
        found = pd.read_csv("new.csv")["prediction"]  # names stand once, above all batches
        assert (len(found), found.dtype.kind) == (400, "f")


def test_an_audit_tells_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "BLOCK", 100)
    shares: list[float] = []
    auditing.audit("records", 2.0, 1001, shares.append)
    assert np.allclose(shares, np.arange(1, 21) / 20)


@pytest.mark.slow
def test_the_bar_is_for_terminals(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unveil", "audit", "records", "--epsilon", "2", "--samples", "2000"]
    settings = {**os.environ, "PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "TERM": "xterm"}
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(command, cwd=tmp_path, env=settings, stdout=subprocess.PIPE, stderr=theirs, check=True)
        shown = os.read(ours, 1 << 16).decode()
    finally:
        os.close(ours)
        os.close(theirs)
    assert "releasing" in shown
    assert "100%" in shown
    assert b"not refuted" in done.stdout
    quiet = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, check=True)
    assert quiet.stderr == b""
