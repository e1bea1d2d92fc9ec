"""Tests of what is refused, from a table of calls and messages."""

from __future__ import annotations

import re
from typing import Any

import pytest

from unveil.errors import UnveilError


def refused(*cases: tuple[Any, ...], call: Any = None) -> Any:
    """A test with one case for each `(call, *arguments, message)`: it must raise an `UnveilError` that says so.

    Where all cases share one `call`, they are `(*arguments, message)`.
    """
    whole = [case if call is None else (call, *case) for case in cases]

    # Plain names, which can be typed and found again.
    @pytest.mark.parametrize("case", whole, ids=[re.sub(r"[^\w ]", "", case[-1], flags=re.ASCII) for case in whole])
    def test(case: tuple[Any, ...]) -> None:
        wrong, *arguments, message = case
        with pytest.raises(UnveilError, match=message):
            wrong(*arguments)

    return test
