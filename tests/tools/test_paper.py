"""The report as a paper: safe markup, every marked choice, and a PDF that is the same each time."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
import typst
from hypothesis import given
from hypothesis import strategies as st
from tools import paper
from tools.configuration import read_texts, shipped

from project import ROOT
from replication import style
from unveil.errors import UnveilError


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=40))
def test_any_text_is_typeset_as_itself(text: str) -> None:
    typst.compile(f"#let x = [{paper.typeset(text)}]\n#x".encode(), format="pdf")


def test_every_mark_becomes_a_deviation() -> None:
    """As many as a plain search finds, each whole: a mark that goes on over lines ends with a full stop or a clause."""
    marked = 0
    for name in shipped(ROOT)["papers"]:
        found = list(paper.choices(ROOT, name))
        code = [*(ROOT / "src/replication/papers" / name).rglob("*.py"), ROOT / "config" / f"{name}.yaml"]
        assert len(found) == sum(path.read_text(encoding="utf-8").count("ASSUME:") for path in code)
        assert all(len(choice.text) > 10 for choice in found)
        marked += len(found)
    assert marked > 20


def test_a_mark_goes_on_to_the_end_of_its_comment(tmp_path: Path) -> None:
    module = tmp_path / "src/replication/papers/p/claims.py"
    module.parent.mkdir(parents=True)
    module.write_text(
        "#: ASSUME: one thing,\n#: because of another.\nX = 1\n# ASSUME: a second.\n# ASSUME: a third.\n"
        '"""ASSUME: shown."""\n"""\nASSUME: in a\ntext. More.\n\n"""\n'
    )
    (tmp_path / "config").mkdir()
    (tmp_path / "config/p.yaml").write_text("a: 1 # ASSUME: a fourth\n")
    said = [choice.text for choice in paper.choices(tmp_path, "p")]
    assert said == ["one thing, because of another.", "a second.", "a third.", "shown.", "in a text.", "a fourth"]


def test_captions_lose_their_markup() -> None:
    assert paper.plain("A :math:`x^2` of ``p_flip``\nand **more**.") == "A x^2 of p_flip and more."


def test_every_paper_has_its_texts_and_states_no_result() -> None:
    texts = read_texts()
    assert set(texts) == set(shipped(ROOT)["papers"])
    for text in texts.values():
        assert set(text) == {"title", "authors", "asks", "done"}
        assert not any(letter.isdigit() for letter in text["asks"] + text["done"])


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a run of one figure leaves behind."""
    (tmp_path / "results").mkdir()
    (tmp_path / "config").mkdir()
    for name in read_texts():
        (tmp_path / f"config/{name}.yaml").write_text("x: 1 # ASSUME: one")
    said = {"paper": "linear_moments", "origin": "paper", "statement": "A < B for 5 % of [x]", "place": "§1"}
    seen = {
        "verdict": "undecided",
        "printed": None,
        "ours": 0.5,
        "low": 0.1,
        "high": 0.9,
        "unit": "R²",
        "grade": "full",
    }
    pd.DataFrame([said | seen]).to_csv(tmp_path / "results/claims.csv", index=False)
    with style.applied():
        drawn, _ = style.panels()
        names = [tmp_path / "figures/linear_moments/fig3.svg", tmp_path / "figures/judge.svg"]
        for path, content in style.pictures(drawn, names):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    names[0].with_suffix(".rst").write_text("What :math:`x` shows.", encoding="utf-8")
    monkeypatch.setattr(paper, "configured_figures", lambda _: [("linear_moments", "fig3")])
    return tmp_path


FOLDERS = {"results": "results", "figures": "figures", "logs": "logs"}


def test_the_same_results_give_the_same_paper(run: Path) -> None:
    for name in ("one.pdf", "two.pdf"):
        paper.write(run, FOLDERS, run / name)
    assert (run / "one.pdf").read_bytes().startswith(b"%PDF")
    assert (run / "one.pdf").read_bytes() == (run / "two.pdf").read_bytes()
    source = (run / ".cache/replication.typ").read_text(encoding="utf-8")
    assert "0.5 (0.1 to 0.9)" in source
    assert "What x shows." in source


def test_a_missing_figure_says_what_to_do(run: Path) -> None:
    (run / "figures/linear_moments/fig3.svg").unlink()
    with pytest.raises(UnveilError, match=r"fig3\.svg is missing; run `snakemake"):
        paper.write(run, FOLDERS, run / "one.pdf")
