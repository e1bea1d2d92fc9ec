"""Stage `scorecard`: the verdicts as a picture; it stands apart so that a new look judges nothing again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from replication import style
from replication.engine.guard import require_run
from replication.engine.storage import replacing
from replication.engine.task import read_scores
from replication.judging.scorecard import draw


def render(table: Path, outputs: Iterable[Path]) -> None:
    """Draw the card in every format."""
    with style.applied():
        figure = draw(read_scores(table))
        for path in outputs:
            with replacing(path, require_run) as draft:
                style.save(figure, draft)
