"""The report as a paper: safe markup, all on its pages, and a PDF that is the same each time."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import typst
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from tools import paper
from tools.configuration import read_texts, shipped
from tools.errata_page import ERRATA
from tools.site.collected import Collected

from project import ROOT
from replication.judging.judge import COLUMNS
from replication.palette import VERDICTS
from unveil.errors import UnveilError

CLAIM: dict[str, object] = {
    "origin": "paper", "quantifier": "all", "figure": "fig1", "statement": "A < B for 5 % of [x].", "place": "§1",
    "quantity": "accuracy of a long name, one method minus another method, at the level", "unit": "points", "ours": 0.5,
    "low": 0.4, "high": 0.6, "threshold": 0.1, "margin": 5.0, "settings": 3, "trials": 10, "grade": "full",
    "shown": "p = 0.1 and a setting with a long name_of_an_arm", "why": "why", "short": "A < B for 5 % of [x] and $y$",
    "headline": True, "hangs_on": "rate",
}  # fmt: skip


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=40))
def test_any_text_compiles_once_it_is_made_ready_for_typst(text: str) -> None:
    typst.compile(f"#let x = [{paper.typeset(text)}]\n#x".encode(), format="pdf")


def test_captions_lose_their_markup() -> None:
    assert paper.plain("A :math:`x^2` of ``p_flip``\nand **more** a\\_b.") == "A x^2 of p_flip and more a_b."
    assert paper.reference("*T*: `doi:1/2 <https://doi.org/1/2>`__") == "T: doi:1/2"


def test_every_paper_has_its_texts_and_states_no_result() -> None:
    texts = read_texts()
    assert set(texts) == set(shipped(ROOT)["papers"])
    for text in texts.values():
        assert set(text) == {"title", "short", "reference", "asks", "done", "questions"}
        assert not any(letter.isdigit() for letter in text["asks"] + text["done"])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper about eight claims of each paper, twice."""
    place = tmp_path_factory.mktemp("paper")
    rows = [
        CLAIM | {"paper": name, "claim": f"claim-{number}", "verdict": verdict}
        for name in ERRATA
        for number, verdict in enumerate([*VERDICTS, *VERDICTS][:8])
    ]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(place / "claims.csv", index=False)
    for name in ("one.pdf", "two.pdf"):
        paper.write(Collected(place), ROOT, place / name)
    return place


def test_the_same_results_give_the_same_paper(made: Path) -> None:
    assert (made / "one.pdf").read_bytes().startswith(b"%PDF")
    assert (made / "one.pdf").read_bytes() == (made / "two.pdf").read_bytes()


def test_nothing_is_outside_of_its_page(made: Path) -> None:
    """The margins are white, left and right, on every page."""
    drawn: Any = typst.compile(str(ROOT / ".cache/replication.typ"), root=str(ROOT), format="png", ppi=60)
    pages = drawn if isinstance(drawn, list) else [drawn]
    assert 6 <= len(pages) <= 20
    for number, page in enumerate(pages, 1):
        with Image.open(io.BytesIO(page)) as image:
            grey = np.asarray(image.convert("L"))
        side = grey.shape[1] * 15 // 210
        assert min(grey[:, :side].min(), grey[:, -side:].min()) > 200, f"page {number}"


def test_without_verdicts_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnveilError, match="no verdicts yet; run `snakemake"):
        paper.write(Collected(tmp_path), tmp_path, tmp_path / "one.pdf")
