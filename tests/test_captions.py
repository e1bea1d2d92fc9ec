"""Every caption is sound reStructuredText, and a template: it states no number and no verdict that is not filled in."""

from __future__ import annotations

import io
import re
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest
from docutils.core import publish_parts

from project import ROOT
from replication.engine.pictures import Picture, pictures_of
from replication.judging.captions import MOST_WORDS, PLACE, fill, split_method
from stages import planned

PAPERS = ROOT / "src/replication/papers"
TEMPLATES = sorted(PAPERS.rglob("caption*.rst"))
PICTURES = [picture for figure in planned().values() for picture in pictures_of(figure)]
TEXTS = [*TEMPLATES, *(ROOT / "src/replication/judging").rglob("*.rst")]

#: What a caption may point to by number, in this and in the paper: "figure 3", "sections 6.1 and 7", "(14)".
_THING = (
    r"(?:figure|section|table|theorem|lemma|equation|proposition|corollary|algorithm|appendix|step|footnote|panel)s?"
)
_NUMBER = r"(?:[A-Z]\.?)?\d+(?:\.\d+)*(?:\([a-z]\))?"
REFERENCE = re.compile(rf"\b{_THING}\s+{_NUMBER}(?:(?:,|\s+and|,\s+and|\s+to|–)\s+{_NUMBER})*|\(\d+\)", re.IGNORECASE)
#: Mathematics (a role), names of files, columns and values (literals), and the level of all intervals.
MATHEMATICS = re.compile(r":math:`[^`]*`|``[^`]*``|95 %\s+intervals?")
#: Words that say how a claim fared.
VERDICT = re.compile(
    r"\b(?:reproduc\w*|contradict\w*|conditional|undecided|untestable|confirm\w*|refut\w*|disprov\w*"
    r"|as the paper (?:says|claims|finds|warns)|does not hold|did not hold)\b",
    re.IGNORECASE,
)


def stated(template: str) -> list[str]:
    """The numbers and verdicts that a template states itself."""
    words = MATHEMATICS.sub(" ", PLACE.sub(" ", template))
    return re.findall(r"\b\d[\d.,]*", REFERENCE.sub(" ", words)) + VERDICT.findall(words)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_captions_read_without_a_complaint(path: Path) -> None:
    said = io.StringIO()
    publish_parts(path.read_text(encoding="utf-8"), writer="html", settings_overrides={"warning_stream": said})
    assert said.getvalue() == ""


def test_a_broken_caption_is_noticed() -> None:
    said = io.StringIO()
    publish_parts("An *open emphasis.", writer="html", settings_overrides={"warning_stream": said})
    assert "start-string without end-string" in said.getvalue()


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.relative_to(PAPERS)))
def test_numbers_and_verdicts_are_filled_in(path: Path) -> None:
    assert stated(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_caption_is_short(path: Path) -> None:
    """Before what it asks for is filled in; the run of the sample counts what is."""
    assert len(split_method(path.read_text(encoding="utf-8"))[0].split()) <= MOST_WORDS


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: f"{picture.figure.paper}/{picture.name}")
def test_a_caption_asks_for_settings_that_the_referee_knows(picture: Picture) -> None:
    """What is written beside the scores is the trials and the referee's settings."""
    metadata = {"trials": picture.figure.trials, "settings": asdict(picture.figure.score.settings)}
    asked = PLACE.findall(picture.caption.read_text(encoding="utf-8"))
    known = "".join(f"{{setting[{name}]}}" for kind, name in asked if kind == "setting")
    assert not PLACE.search(fill(known, pd.DataFrame(), metadata))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Figure 3 and sections 6.1 and 7, lemma 2, (14), appendix B, appendix A.3, figures 2, 3 and 4.", []),
        ("Accuracy at {setting[sigma2]}, {fact[x1]}; :math:`[0, 1]`, ``scores2.csv``, p₁₀.", []),
        ("It is 94.4 % at 2,000 draws.", ["94.4", "2,000"]),
        ("The claim is contradicted, as the paper says.", ["contradicted", "as the paper says"]),
        ("It loses 3 points (figure 3).", ["3"]),
        ("The 60 runs of figure 2.", ["60"]),
    ],
)
def test_what_counts_as_stated(text: str, expected: list[str]) -> None:
    assert stated(text) == expected
