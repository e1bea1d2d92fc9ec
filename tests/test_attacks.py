"""Every attack of docs/attacks.md has a test that keeps it out."""

from __future__ import annotations

import re

from attacks import PAGE, named_tests, page


def test_the_page_is_made_from_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python tests/support/attacks.py"


def test_every_test_that_is_named_is_there() -> None:
    missing = [
        f"{path}::{name}"
        for path, name in named_tests()
        if not path.is_file() or not re.search(rf"^def {name}\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert missing == []
