"""The scorecard has one line a claim in the block where it belongs, counts the papers' own, and is readable."""

from __future__ import annotations

import itertools
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from replication import style
from replication.judging.scorecard import BLOCKS, CLIP, LEFT, RIGHT, _place, blocks, draw
from replication.judging.verdicts import Outcome
from replication.palette import VERDICTS

ROW: dict[str, Any] = {"printed": nan, "ours": 0.5, "low": 0.25, "high": 0.75, "threshold": 0.25, "unit": "points"}


def card() -> pd.DataFrame:
    verdicts, grades = itertools.cycle(VERDICTS), itertools.cycle(["full", "subset", "stand-in", "no data"])
    rows = []
    for paper, number in itertools.product(("spread", "class_ratio"), range(9)):
        margin = [0.3, -2.0, 300.0, -300.0][number % 4]
        row = ROW | {"paper": paper, "verdict": next(verdicts), "grade": next(grades), "margin": margin}
        row |= {"margin_low": margin - 1, "margin_high": margin + 1, "origin": "beyond" if number == 8 else "paper"}
        row |= {"short": f"{paper} number {number} is a claim of some length. " * (1 + number % 2)}
        row |= {"printed": 94.4} if number == 1 else {"ours": nan} if row["verdict"] == "untestable" else {}
        rows.append(row)
    return pd.DataFrame(rows)


@pytest.fixture
def panel() -> Axes:
    with style.applied():
        figure = draw(card())
        figure.canvas.draw()
        return figure.axes[0]


def test_every_verdict_has_a_look() -> None:
    assert set(VERDICTS) == set(Outcome)


def test_blocks_part_theory_experiments_and_what_is_beyond() -> None:
    parts = blocks(card())
    assert list(parts) == list(BLOCKS)
    theory, experiments, beyond = parts.values()
    assert set(theory["grade"]) == {"no data"}
    assert "no data" not in set(experiments["grade"])
    assert set(beyond["origin"]) == {"beyond"}
    assert len(theory) + len(experiments) + len(beyond) == len(card())
    exact = blocks(card().assign(grade="no data"))
    assert [set(part["origin"]) for part in exact.values()] == [{"paper"}, set(), {"beyond"}]


def is_part(text: str, short: str) -> bool:
    """Whether a line on the card is the beginning of a sentence, which starts with a capital there."""
    one, other = text.lower(), short.lower()
    return len(one) > 20 and other.startswith(one)


def test_every_claim_has_a_line_below_its_block(panel: Axes) -> None:
    heights = {text.get_text(): text.get_position()[1] for text in panel.texts}
    tops = [heights[title] for title in BLOCKS]
    assert tops == sorted(tops)
    for block, title, below in zip(blocks(card()).values(), BLOCKS, [*tops[1:], 1e9], strict=True):
        for short in block["short"]:
            lines = [y for text, y in heights.items() if is_part(text, short)]
            assert any(heights[title] < y < below for y in lines), short


def test_only_the_papers_own_claims_are_counted(panel: Axes) -> None:
    own = card()[card()["origin"] == "paper"]
    texts = [text.get_text() for text in panel.texts]
    assert f"{len(own)} claims of the papers" in texts
    for verdict, count in own["verdict"].value_counts().items():
        assert f"{count} {verdict}" in texts


def test_nothing_is_written_over_something_else(panel: Axes) -> None:
    boxes = [text.get_window_extent() for text in panel.texts if text.get_text()]
    assert not [1 for one, other in itertools.combinations(boxes, 2) if one.overlaps(other)]
    edge = panel.figure.bbox.width
    assert all(box.x0 >= 0 and box.x1 <= edge for box in boxes)


def test_far_margins_are_arrows_at_the_border(panel: Axes) -> None:
    assert (_place(-CLIP), _place(CLIP)) == (LEFT, RIGHT)
    assert _place(10 * CLIP) == RIGHT
    assert _place(0) == pytest.approx((LEFT + RIGHT) / 2)
    arrows = [line for line in panel.lines if line.get_marker() in ("<", ">")]
    decided = card()[card()["ours"].notna()]
    assert len(arrows) == (decided["margin"].abs() > CLIP).sum()
    assert {round(float(np.asarray(line.get_xdata())[0]), 6) for line in arrows} == {LEFT, RIGHT}


def test_a_run_without_claims_still_has_a_card() -> None:
    with style.applied():
        assert draw(card().head(0)).axes
