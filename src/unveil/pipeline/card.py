"""Stage `scorecard`: the verdicts as a picture; it stands apart so that a new look judges nothing again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from unveil import style
from unveil.claims.scorecard import draw
from unveil.pipeline.guard import require_run
from unveil.pipeline.storage import replacing
from unveil.pipeline.task import read_scores


def render(table: Path, outputs: Iterable[Path]) -> None:
    """Draw the card in every format."""
    with style.applied():
        figure = draw(read_scores(table))
        for path in outputs:
            with replacing(path, require_run) as draft:
                style.save(figure, draft)
