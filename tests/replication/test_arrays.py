"""Names of arrays: what may be one, how files spell it, and what is below a prefix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from replication.arrays import Named, parse_name, spell, under
from unveil.errors import UnveilError


@pytest.mark.parametrize("name", ["bits", ("housing", "raw", 3, "bits"), (3, "x"), (7,)])
def test_a_name_reads_back(name: Any) -> None:
    assert parse_name(spell(name)) == name


@pytest.mark.parametrize("name", ["", (), "a/b", "7", ("a", ""), ("a", -1), ("a", True), ("a", "7"), "a b"])
def test_what_files_could_not_tell_apart_is_refused(name: Any) -> None:
    with pytest.raises(UnveilError, match="name"):
        spell(name)


def test_what_is_below_a_prefix() -> None:
    one, two, three = np.array(1), np.array(2), np.array(3)
    named: Named = {("a", 1, "x"): one, ("a", 1, "y", 2): two, ("a", 2, "x"): three, "a": three, ("a", 1): three}
    assert under(named, "a", 1) == {"x": one, ("y", 2): two}
