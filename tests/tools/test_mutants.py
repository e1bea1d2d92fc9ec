"""The page of mutants says what was found, and names every mutant that lives."""

from __future__ import annotations

import json

from tools.mutants import FOUND, GROUPS, PAGE, ROOT, page, read_reasons

LIVING = {
    "unveil.ledger.xǁLedgerǁspend__mutmut_2": "-    a < b\n+    a <= b",
    "unveil.files.x_create__mutmut_1": "-x\n+y",
}


def test_the_page_is_made_from_what_was_found() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(json.loads(FOUND.read_text(encoding="utf-8")), read_reasons())


def test_what_lives_is_explained_or_open() -> None:
    found = {"ledger and files": {"mutants": 90, "planted": 10, "living": LIVING}}
    made = page(found, {"-x\n+y": "Nobody can see it."})
    assert "| ledger and files | 90 | 10 | 8 | 1 | 1 |" in made
    assert "90.0%" in made
    assert "`unveil.ledger.Ledger.spend`: open." in made
    assert "`unveil.files.create`: Nobody can see it." in made


def test_the_groups_name_files_that_are_there() -> None:
    for modules, tests in GROUPS.values():
        assert all(any(ROOT.glob(file)) for file in (*modules, *tests))


def test_a_reason_says_which_lines_it_is_about() -> None:
    assert all(diff.startswith("-") and "\n+" in diff and why for diff, why in read_reasons().items())
