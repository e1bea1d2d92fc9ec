from __future__ import annotations

import numpy as np
import pytest

from replication import style
from replication.papers.class_ratio.table1.draw import table
from replication.papers.class_ratio.table1.score import score
from replication.papers.class_ratio.table1.settings import Printed, Score, Sizes
from unveil.errors import UnveilError

FIELDS = {
    "mnist": {"images": np.zeros((7, 4), np.uint8), "labels": np.array([0, 1, 2, 3, 4, 4, 0])},
    "census": {"features": np.zeros((5, 3), np.float32), "labels": np.array([0, 1, 1, 0, 0])},
}
PRINTED = Printed(features=3, instances=9, classes=2, train=600, test=600)
SETTINGS = Score(
    sets={"census": Sizes(train=600, test=500, printed=PRINTED), "mnist": Sizes(train=3000, test=2000, printed=PRINTED)}
)
GRADES = {"mnist": "full", "census": "stand-in"}


def test_counts_what_is_there_in_the_configured_order() -> None:
    scores = score(FIELDS, SETTINGS, GRADES)
    columns = ["dataset", "features", "instances", "classes", "n_train", "n_test", "grade"]
    assert list(scores.columns[:7]) == columns
    assert scores.iloc[:, :7].to_numpy().tolist() == [
        ["census", 3, 5, 2, 600, 500, "stand-in"],
        ["mnist", 4, 7, 5, 3000, 2000, "full"],
    ]


def test_mismatched_fields_are_an_error() -> None:
    broken = {**FIELDS, "census": {"features": np.zeros((4, 3)), "labels": np.zeros(5, int)}}
    with pytest.raises(UnveilError, match="census: features and labels"):
        score(broken, SETTINGS, GRADES)


def test_the_picture_shows_every_row() -> None:
    scores = score(FIELDS, SETTINGS, GRADES)
    assert table(scores).shape == (2, 7)
    drawn = style.draw_table(table(scores)).axes[0].tables[0]
    texts = [cell.get_text().get_text() for cell in drawn.get_celld().values()]
    assert {"census", "mnist", "3,000 (600)", "3", "600", "500 (600)", "stand-in", "Data set"} <= set(texts)
