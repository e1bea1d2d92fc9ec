"""Claims in words: numbers to the digits that they have, one vocabulary."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest

from replication.judging.words import amount, entry, seen, sentence, sure

ROW: dict[str, Any] = {
    "statement": "It wins.",
    "verdict": "undecided",
    "quantity": "accuracy",
    "unit": "points",
    "printed": nan,
    "threshold": 0.5,
    "ours": 1.234,
    "low": -0.5,
    "high": 3.0,
    "settings": 4,
    "trials": 10,
    "quantifier": "all",
    "shown": "x = 1",
    "note": "holds at x = 2",
}


@pytest.mark.parametrize(
    ("value", "width", "expected"),
    [
        (0.0, 0.0, "0.00"),
        (1234.5, 0.0, "1,234"),
        (0.068789, 0.0, "0.0688"),
        (-0.068789, 0.0, "−0.0688"),
        (6.6e-5, 0.0, "6.60·10⁻⁵"),
        (2.5e7, 0.0, "2.50·10⁷"),
        (94.3649, 0.123, "94.36"),
        (94.3649, 12.3, "94"),
        (0.0001, 0.2, "0.00"),
        (nan, 0.0, "–"),
        (inf, 0.0, "∞"),
        (-inf, 1.0, "−∞"),
    ],
)
def test_a_number_has_the_digits_of_its_interval(value: float, width: float, expected: str) -> None:
    assert amount(value, width) == expected


def test_what_was_seen_says_in_which_setting() -> None:
    assert seen(ROW) == "accuracy: 1.2 (−0.5 to 3.0) points, at x = 1, the least favourable of 4 settings"
    assert seen({**ROW, "quantifier": "some"}).endswith("at x = 1, the most favourable of 4 settings")
    assert seen({**ROW, "quantifier": "typical"}).endswith("points, the mean over 4 settings")
    assert seen({**ROW, "settings": 1, "printed": 94.4}) == "accuracy: 1.2 (−0.5 to 3.0) points, where 94.4 is printed"
    assert seen({**ROW, "ours": nan}) == ""


def test_how_sure_it_is() -> None:
    assert sure(ROW) == "95 % interval for all settings together, 10 trials"
    assert sure({**ROW, "quantifier": "typical"}) == "95 % interval, 10 trials"
    assert sure({**ROW, "trials": 0}) == "exact"
    assert sure({**ROW, "ours": nan}) == "not known"


def test_a_sentence_lists_settings_where_they_say_more_than_the_verdict() -> None:
    assert sentence(ROW).startswith("It wins: undecided (accuracy: 1.2")
    assert sentence(ROW).endswith("; holds at x = 2).")
    assert "holds at" not in sentence({**ROW, "verdict": "reproduced"})
    assert (
        sentence({**ROW, "ours": nan, "verdict": "untestable", "note": "no rows"}) == "It wins: untestable (no rows)."
    )
    assert sentence({**ROW, "ours": nan, "verdict": "untestable", "note": nan}) == "It wins: untestable."


def test_an_item_of_the_page_says_what_where_how_much_and_how_sure() -> None:
    more = {"claim": "wins", "place": "section | 1", "grade": "stand-in", "threshold": 1e-9, "why": "it is exact"}
    assert entry({**ROW, **more}) == (
        r"- **undecided**: It wins. (section \| 1; about all settings.)"
        " *Seen:* accuracy: 1.2 (−0.5 to 3.0) points, at x = 1, the least favourable of 4 settings."
        " *From what size it matters:* 1.00·10⁻⁹ points (it is exact)."
        " *On:* a stand-in for the paper's data; 95 % interval for all settings together, 10 trials; holds at x = 2."
        " `wins`"
    )
    assert "*On:* the paper's data (unverified); 95" in entry({**ROW, **more, "grade": "full, unverified"})
    none = entry({**ROW, **more, "ours": nan, "verdict": "untestable", "note": "no rows", "grade": nan})
    assert none == r"- **untestable**: It wins. (section \| 1; about all settings.) *On:* no rows. `wins`"
