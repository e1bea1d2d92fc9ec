"""The page of errata, its table and the tests it names cannot drift apart."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.errata_page import ERRATA, page

from replication.judging.erratum import Erratum

ROOT = Path(__file__).resolve().parents[2]
ALL: list[Erratum] = [entry for errata in ERRATA.values() for entry in errata]


def named(entry: Erratum) -> str:
    return f"{entry.file}::{entry.function}"


def test_the_page_is_made_from_the_table() -> None:
    assert (ROOT / "docs" / "errata.md").read_text(encoding="utf-8") == page(), "run python -m tools.errata_page"


def test_every_entry_is_on_the_page_once_and_every_row_is_whole() -> None:
    assert len({entry.id for entry in ALL}) == len(ALL)
    rows = [line for line in page().splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    assert len(rows) == len(ALL) + len(ERRATA)
    for row in rows:
        assert row.replace("\\|", "").count("|") == 7, row
    for entry in ALL:
        assert all(
            text.strip() for text in (entry.id, entry.place, entry.printed, entry.corrected, entry.why, entry.test)
        )
        assert entry.printed != entry.corrected


@pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.id)
def test_the_named_test_stands_where_the_page_links_to(entry: Erratum) -> None:
    assert f"\ndef {entry.function}(" in (ROOT / entry.file).read_text(encoding="utf-8")


@pytest.mark.slow
def test_every_named_test_runs_and_passes() -> None:
    """In a process of their own: a test that was skipped or not collected would not demonstrate anything."""
    names = sorted({named(entry) for entry in ALL})
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rA", "--tb=line", *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    outcomes = [line.split()[:2] for line in run.stdout.splitlines() if re.match(r"[A-Z]+ tests/", line)]
    assert {outcome for outcome, _ in outcomes} == {"PASSED"}
    assert {test.split("[")[0] for _, test in outcomes} == set(names)
