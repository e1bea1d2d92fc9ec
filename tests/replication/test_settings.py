"""Names in the configuration that a table of the code declares."""

from __future__ import annotations

from typing import Annotated

import pytest

from replication.engine.checking import checked
from replication.papers.class_ratio.mechanisms import MECHANISMS
from replication.settings import OneOf, table_names
from unveil.errors import UnveilError

PLACE = "papers.class_ratio.mechanisms", "MECHANISMS"


def test_names_are_those_of_the_table_and_others_are_told_the_nearest() -> None:
    assert table_names(*PLACE) == tuple(MECHANISMS)
    known = tuple[Annotated[str, OneOf(*PLACE, also=("none",), without=("fallback",))], ...]
    assert checked(known, ["none", "laplace"]) == ("none", "laplace")
    with pytest.raises(UnveilError, match="1: unknown choice 'laplac'; did you mean 'laplace'"):
        checked(known, ["none", "laplac"])
    with pytest.raises(UnveilError, match="unknown choice 'fallback'"):
        checked(known, ["fallback"])
    with pytest.raises(LookupError, match="no table VEILS"):
        table_names(PLACE[0], "VEILS")
