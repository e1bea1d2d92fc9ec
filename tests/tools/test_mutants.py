"""The page of mutants says what was found, and names every mutant that lives."""

from __future__ import annotations

import json
from pathlib import Path

from tools.mutants import FOUND, GROUPS, PAGE, ROOT, find_wordings, page, read_reasons

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


def test_only_mutants_that_change_words_alone_are_left_out(tmp_path: Path) -> None:
    changed = {
        "orig": ("a < b", '"a is not below b"'),
        "1": ("a <= b", '"a is not below b"'),
        "2": ("a < b", '"XXa is not below bXX"'),
        "3": ("a < b", "None"),
        "4": ("None", '"a is not below b"'),
    }
    functions = [f"def x_f__mutmut_{n}(a, b):\n    require({rule}, {says})\n" for n, (rule, says) in changed.items()]
    (tmp_path / "rule.py").write_text("\n".join(functions), encoding="utf-8")
    assert find_wordings(tmp_path) == {"rule.x_f__mutmut_2", "rule.x_f__mutmut_3"}
