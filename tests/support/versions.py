"""How a test of an erratum gets what is printed and what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Formula = Callable[..., Any]
NAMES = ("printed", "corrected")


def versions(printed: object, corrected: object) -> pytest.MarkDecorator:
    """Give both versions to a test, and to tests/tools/test_errata_page.py, which lets them trade places."""
    return pytest.mark.parametrize(NAMES, [(printed, corrected)], ids=["both"])


def versions_of(test: Formula) -> tuple[Any, Any]:
    """What `versions` gave to this test."""
    (mark,) = (mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize" and mark.args[0] == NAMES)
    printed, corrected = mark.args[1][0]
    return printed, corrected
