"""Captions are filled from the scores, the settings and the verdicts, and say when they cannot be."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pytest
from docutils.core import publish_parts

from replication.judging.captions import fill
from replication.judging.claim import Claim, Matters
from replication.judging.statistics import exactly, over_trials
from replication.judging.verdicts import Quantifier
from unveil.errors import UnveilError

POINTS = ("accuracy, ours less theirs", "points of accuracy", Matters(0.5, "less is nothing"))
CLAIMS = [
    Claim(
        "94.4-percent",
        "Ours is better.",
        "section 1",
        "one",
        lambda scores: exactly({str(i): value for i, value in enumerate(scores["gap"])}),
        Quantifier.ALL,
        *POINTS,
        ("census",),
    ),
    Claim(
        "drawn",
        "Ours is typically better.",
        "section 1",
        "one",
        lambda scores: over_trials({name: scores["gap"] + i / 2 for i, name in enumerate("abc")}),
        Quantifier.TYPICAL,
        *POINTS,
    ),
    Claim("elsewhere", "It is.", "section 2", "two", lambda _: [], Quantifier.ALL, *POINTS),
]
METADATA: dict[str, Any] = {
    "paper": "spread",
    "figure": "one",
    "trials": 3,
    "data": [{"dataset": "census", "grade": "full"}],
    "settings": {"noise": {"weak": [2.0, -0.1], "far": "inf"}, "count": 2000, "method": "a_*b*"},
}


def filled(template: str, gaps: list[float] | None = None, grade: str = "full", **facts: str) -> str:
    scores = pd.DataFrame({"gap": gaps or [1.0, 2.0, 3.0]})
    metadata = METADATA | {"data": [{"dataset": "census", "grade": grade}]}
    return fill(template, scores, metadata, CLAIMS, lambda _: facts)


def test_a_claim_is_told_with_its_verdict_and_numbers() -> None:
    assert filled("So: {claim[94.4-percent]}") == (
        "So: Ours is better: reproduced (accuracy, ours less theirs: 1.00 points of accuracy,"
        " at 0, the least favourable of 3 settings)."
    )
    assert filled("{claim[94.4-percent]}", [-1.0]) == (
        "Ours is better: contradicted (accuracy, ours less theirs: −1.00 points of accuracy)."
    )


def test_a_caption_knows_its_data() -> None:
    text = filled("{claim[94.4-percent]}", grade="stand-in")
    assert "Ours is better: conditional" in text
    assert "holds for the stand-in of census only" in text


def test_chance_has_an_interval() -> None:
    assert filled("{claim[drawn]}") == (
        "Ours is typically better: undecided (accuracy, ours less theirs: 2.5 (0.0 to 5.0) points of accuracy, the mean"
        " over 3 settings; undecided in all 3 settings; about 5 trials would decide)."
    )


def test_settings_and_facts() -> None:
    text = filled(
        "({setting[noise.weak]}), {setting[noise.far]}, {setting[count]}, {setting[trials]}, {fact[x]}", x="y"
    )
    assert text == "(2, −0.1), ∞, 2,000, 3, y"


def test_other_braces_stay() -> None:
    assert filled(":math:`\\{0, 1\\}` and {0}") == ":math:`\\{0, 1\\}` and {0}"


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_what_is_filled_in_is_no_markup() -> None:
    said = io.StringIO()
    text = filled("{setting[method]} {fact[x]} {claim[drawn]}", x="a|b` c_ *")
    html = publish_parts(text, writer="html", settings_overrides={"warning_stream": said})["body"]
    assert said.getvalue() == ""
    assert "a_*b*" in html
    assert "a|b` c_ *" in html


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{claim[elsewhere]}", "claim of this figure 'elsewhere'; there is: 94.4-percent, drawn"),
        ("{fact[y]}", "fact 'y'; there is: x"),
        ("{setting[noise.strong]}", "setting 'strong'; there is: weak, far"),
        ("{setting[count.strong]}", "'strong' is in no group"),
    ],
)
def test_what_is_not_there_is_an_error_that_says_what_is(template: str, words: str) -> None:
    with pytest.raises(UnveilError, match=words.replace("[", r"\[")):
        filled(template, x="1")
