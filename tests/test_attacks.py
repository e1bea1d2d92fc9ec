"""Every attack of docs/attacks.md has a test that keeps it out."""

from __future__ import annotations

import re

from project import ROOT


def test_every_test_that_is_named_is_there() -> None:
    page = (ROOT / "docs/attacks.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| (.+) \(`(.+)`\) \|$", page, re.MULTILINE)
    assert len(rows) > 40
    named = [(ROOT / path, f"test_{name.replace(' ', '_')}") for name, path in rows]
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not path.is_file() or not re.search(rf"^def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert missing == []
