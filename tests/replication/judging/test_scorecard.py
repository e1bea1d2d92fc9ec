"""The scorecard names every claim once, in the column of its verdict."""

from __future__ import annotations

import itertools

import pandas as pd

from replication import style
from replication.judging.scorecard import COLUMNS, draw


def card() -> pd.DataFrame:
    verdicts = itertools.cycle(COLUMNS)
    grades = itertools.cycle(["full", "subset", "stand-in", "no data", ""])
    rows = [
        {"paper": paper, "claim": f"a-claim-of-some-length-{number}", "verdict": next(verdicts), "grade": next(grades)}
        for paper in ("spread", "class_ratio")
        for number in range(7)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_every_claim_stands_under_its_verdict() -> None:
    claims = card()
    with style.applied():
        figure = draw(claims)
        panel = figure.axes[0]
        shown = {text.get_text(): text.get_position() for text in panel.texts}
    heads = {verdict: i for i, verdict in enumerate(COLUMNS)}
    for claim in claims.itertuples():
        name = str(claim.claim).replace("-", " ")
        places = [place for text, place in shown.items() if text.rstrip("ˢ*°") == name]
        assert places
        assert any(int(x) == heads[str(claim.verdict)] for x, _ in places)


def test_the_headlines_count() -> None:
    claims = card()
    with style.applied():
        texts = [text.get_text() for text in draw(claims).axes[0].texts]
    for verdict, count in claims["verdict"].value_counts().items():
        words, _, mark = COLUMNS[str(verdict)]
        assert f"{mark} {count} {words}" in texts


def test_nothing_is_written_over_something_else() -> None:
    with style.applied():
        figure = draw(card())
        figure.canvas.draw()
        boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert not [1 for one, other in itertools.combinations(boxes, 2) if one.overlaps(other)]


def test_a_run_without_claims_still_has_a_card() -> None:
    with style.applied():
        assert draw(card().head(0)).axes
