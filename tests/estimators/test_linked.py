from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from unveil.pipeline import source

CALLEE = "from numba import njit\n\n\n@njit(cache=True)\ndef value():\n    return {value}\n"
CALLER = """import callee
from numba import njit
from unveil.estimators.linked import njit_linked


@njit_linked(callee)
def linked():
    return callee.value()


@njit(cache=True)
def plain():
    return callee.value()
"""


def run(folder: Path) -> list[str]:
    """What both callers return in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(source.ROOT)])}
    environment.pop("NUMBA_CACHE_DIR", None)
    program = "import caller; print(caller.linked(), caller.plain())"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, check=True)
    return done.stdout.decode().split()


@pytest.mark.slow
def test_an_edit_in_another_file_reaches_linked_callers_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "callee.py").write_text(CALLEE.format(value=1))
    assert run(tmp_path) == ["1", "1"]
    (tmp_path / "callee.py").write_text(CALLEE.format(value=22))
    assert run(tmp_path) == ["22", "1"]
