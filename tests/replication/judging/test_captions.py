"""Captions are filled from the scores and the settings, and say when they cannot be."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pytest
from docutils.core import publish_parts

from replication.judging.captions import fill
from unveil.errors import UnveilError

METADATA: dict[str, Any] = {
    "trials": 3,
    "settings": {"noise": {"weak": [2.0, -0.1], "far": "inf"}, "count": 2000, "method": "a_*b*"},
}


def filled(template: str, **facts: str) -> str:
    return fill(template, pd.DataFrame(), METADATA, lambda _: facts)


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
    text = filled("{setting[method]} {fact[x]}", x="a|b` c_ *")
    html = publish_parts(text, writer="html", settings_overrides={"warning_stream": said})["body"]
    assert said.getvalue() == ""
    assert "a_*b*" in html
    assert "a|b` c_ *" in html


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{fact[y]}", "fact 'y'; there is: x"),
        ("{setting[noise.strong]}", "setting 'strong'; there is: weak, far"),
        ("{setting[count.strong]}", "'strong' is in no group"),
    ],
)
def test_what_is_not_there_is_an_error_that_says_what_is(template: str, words: str) -> None:
    with pytest.raises(UnveilError, match=words.replace("[", r"\[")):
        filled(template, x="1")
