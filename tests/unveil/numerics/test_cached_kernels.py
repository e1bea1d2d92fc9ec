"""Kernels give the same bits whether they were just compiled, come from Numba's cache, or some of each.

A kernel that calls another holds a copy of it, under a name that the other's own machine code has, too: which of the
two is called depends on what was loaded first. They are equal to the last bit unless the compiler may reorder sums.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from project import ROOT

PROGRAMS = {
    "sum_alike": """
from unveil.estimators.spread.label_loops import sum_alike
states = rng.normal(size=(131, 203)).astype(np.float32)
theta, noise, one = rng.normal(size=203).astype(np.float32), normal((3, 131)), np.ones((1, 131), np.float32)
found = sum_alike(states, (0.5, 0.1, 0.0, 0.1), theta, 0.3, noise, one, 1 - one)
""",
    "add_block": """
from unveil.estimators.bags.mmd_gram import mmd_gram
found = mmd_gram([normal((57, 29)), normal((40, 29))], [0.5, 1.0, 3.0, 20.0], [normal((30, 29))])
""",
}
FRAME = """
import hashlib
import numpy as np
rng = np.random.default_rng(0)
normal = lambda shape: rng.normal(size=shape).astype(np.float32)
{}
print(hashlib.sha256(b"".join(np.asarray(part).tobytes() for part in found)).hexdigest())
"""


def said(program: str, cache: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", FRAME.format(program)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize("kernel", PROGRAMS)
def test_the_same_bits_from_the_compiler_and_from_the_cache(kernel: str, tmp_path: Path) -> None:
    compiled = said(PROGRAMS[kernel], tmp_path)
    loaded = said(PROGRAMS[kernel], tmp_path)
    stale = list(tmp_path.rglob(f"*.{kernel}-*"))
    assert stale
    for file in stale:
        file.unlink()
    assert compiled == loaded == said(PROGRAMS[kernel], tmp_path)


def test_kernels_that_reorder_sums_are_inlined() -> None:
    """All but one, which sums whole numbers: any order gives the same."""
    kernel = re.compile(r"^@.*?njit\((.*)\)\ndef (\w+)", re.MULTILINE)
    found = [
        match for path in (ROOT / "src").rglob("*.py") for match in kernel.findall(path.read_text(encoding="utf-8"))
    ]
    assert [name for how, name in found if "reassoc" in how and "forceinline" not in how] == ["_total"]
