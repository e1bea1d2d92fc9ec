"""The public names: each can be imported, has its own type, and says in its docstring how to be used."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import unveil
from house import ROOT

NAMES = dir(unveil)
#: What takes parameters of its own; an error takes a message.
DOCUMENTED = [name for name in NAMES if not issubclass(type(getattr(unveil, name)), type(Exception))]


def test_every_public_name_can_be_imported_and_no_other() -> None:
    for name in NAMES:
        assert getattr(unveil, name).__name__ == name
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = unveil.no_such_name  # type: ignore[attr-defined]
