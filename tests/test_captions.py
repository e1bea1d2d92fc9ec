"""Every caption is sound reStructuredText: the report shows it as it was meant."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from docutils.core import publish_parts

from project import ROOT

TEXTS = [*(ROOT / "src/replication/papers").rglob("caption.rst"), *(ROOT / "workflow/report").glob("*.rst")]


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
