"""The scorecard has the headline claims of every paper on one page, and is readable."""

from __future__ import annotations

import itertools
from math import nan
from typing import Any

import pandas as pd
import pytest
from matplotlib.axes import Axes

from replication import style
from replication.judging.scorecard import SIZE, break_lines, draw
from replication.judging.verdicts import Outcome
from replication.palette import VERDICTS

ROW: dict[str, Any] = {
    "printed": nan, "ours": 0.5, "low": 0.25, "high": 0.75, "threshold": 0.25, "margin": 2.0, "unit": "points",
    "quantity": "accuracy, one minus another", "origin": "paper",
}  # fmt: skip
PAPERS = ("linear_moments", "mean_operator", "class_ratio", "spread")


def card() -> pd.DataFrame:
    """Twelve claims a paper, of which eight are headlines."""
    rows = []
    for paper, (number, verdict) in itertools.product(PAPERS, enumerate([*VERDICTS, *VERDICTS, *VERDICTS][:12])):
        short = f"claim {number} is a sentence that goes on for about as many letters as claims do"
        rows.append(ROW | {"paper": paper, "verdict": verdict, "headline": number < 8, "short": short})
    return pd.DataFrame(rows)


@pytest.fixture
def panel() -> Axes:
    with style.applied():
        figure = draw(card())
        figure.canvas.draw()
        return figure.axes[0]


def test_every_verdict_has_a_look_a_word_and_a_symbol() -> None:
    assert set(VERDICTS) == set(Outcome)
    assert len({look.label for look in VERDICTS.values()}) == len({look.symbol for look in VERDICTS.values()}) == 5


def test_only_headlines_are_on_it() -> None:
    lines = list(break_lines(card()))
    assert sum(bool(line.verdict) for line in lines) == 8 * len(PAPERS)
    assert lines[0].text == [
        "Linear moments: of 8 headline claims 2 hold, 2 are mixed, 2 are open, 1 fails, 1 is not tested"
    ]


def test_it_is_one_page_on_which_nothing_is_written_over_something_else(panel: Axes) -> None:
    assert panel.get_window_extent().height / panel.figure.dpi < 12.5  # even if every claim takes two lines
    assert {text.get_fontsize() for text in panel.texts} == {SIZE}
    boxes = [text.get_window_extent() for text in panel.texts if text.get_text()]
    assert not [1 for one, other in itertools.combinations(boxes, 2) if one.overlaps(other)]
    assert all(box.x0 >= 0 and box.x1 <= panel.figure.bbox.width for box in boxes)


def test_a_run_without_claims_still_has_a_card() -> None:
    with style.applied():
        assert draw(card().head(0)).axes
