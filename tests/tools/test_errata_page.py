"""The page of errata, its table and the tests it names cannot drift apart, and each test tells both versions apart."""

from __future__ import annotations

import re
from functools import cache
from importlib import util
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest
from tools.errata_page import ERRATA, page

from replication.judging.erratum import Erratum, Kind
from replication.judging.judge import claims_of
from versions import versions_of

ROOT = Path(__file__).resolve().parents[2]
ALL: list[Erratum] = [entry for errata in ERRATA.values() for entry in errata]

each = pytest.mark.parametrize("entry", ALL, ids=lambda entry: entry.id)


def test_the_page_is_made_from_the_table() -> None:
    assert (ROOT / "docs" / "errata.md").read_text(encoding="utf-8") == page(), "run python -m tools.errata_page"


def test_every_entry_is_on_the_page_once_under_its_paper_and_kind() -> None:
    assert len({entry.id for entry in ALL}) == len(ALL)
    papers = page().split("\n## ")[1:]
    for errata, text in zip(ERRATA.values(), papers, strict=True):
        sections = {kind.capitalize(): "" for kind in Kind} | dict(
            section.split("\n", 1) for section in text.split("\n### ")[1:]
        )
        for kind in Kind:
            listed = re.findall(r"^\*\*(\S+)\*\*, ", sections[kind.capitalize()], re.MULTILINE)
            assert listed == [entry.id for entry in errata if entry.kind is kind]


def test_the_summary_counts_all_entries() -> None:
    rows = [line.split(" | ") for line in page().splitlines() if line.startswith(tuple(f"| {kind} " for kind in Kind))]
    assert sum(int(cell) for row in rows for cell in row[1:-1]) == len(ALL)


def test_every_kind_has_a_meaning() -> None:
    assert len({kind.meaning for kind in Kind}) == len(Kind)


@each
def test_every_entry_is_whole(entry: Erratum) -> None:
    texts = (entry.id, entry.place, entry.printed, entry.corrected, entry.hypotheses, entry.why, entry.test)
    assert all(text.strip() for text in texts)
    assert entry.printed != entry.corrected
    assert "](" not in "\n".join(texts), "that would be a link"


@cache
def module_of(file: Path) -> ModuleType:
    spec = util.spec_from_file_location("named_by_errata", file)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@each
def test_its_test_fails_if_the_versions_trade_places_or_one_stands_for_both(entry: Erratum) -> None:
    demonstrate = getattr(module_of(ROOT / entry.file), entry.function)
    printed, corrected = versions_of(demonstrate)
    demonstrate(printed=printed, corrected=corrected)
    for first, second in ((corrected, printed), (printed, printed), (corrected, corrected)):
        with pytest.raises(AssertionError):
            demonstrate(printed=first, corrected=second)


def test_no_test_of_an_erratum_is_left_without_its_entry() -> None:
    for file in sorted({ROOT / entry.file for entry in ALL}):
        tests = {name for name in vars(module_of(file)) if name.startswith("test_")}
        assert tests == {entry.function for entry in ALL if ROOT / entry.file == file}


def test_no_erratum_and_verdict_on_one_sentence_say_the_opposite() -> None:
    """What is called false is not reproduced, and what is called right but for a word is not contradicted."""
    verdicts = pd.read_csv(ROOT / "docs/gallery/claims.csv").set_index(["paper", "claim"])["verdict"]
    for paper, errata in ERRATA.items():
        known = {claim.id for claim in claims_of(paper)}
        for entry in errata:
            assert set(entry.claims) <= known, entry.id
            wrong = "reproduced" if entry.kind is Kind.FALSE else "contradicted"
            told = {claim: verdicts.get((paper, claim)) for claim in entry.claims}
            assert wrong not in told.values(), (entry.id, told)
