"""Compiling ahead: kernels that take long are compiled once, before the jobs that need them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from replication.engine.code import closure, module_file

TAGGER = "unveil.estimators.counts"
#: What compiles side by side, and what calls the same functions and so comes after.
KINDS = (("exact", "merged", "beam"), ("auto",))


def warm_up(modules: Iterable[str]) -> None:
    """Compile the tagger's kernels if one of these modules uses them and an earlier run has not: a process each.

    Jobs that start together would compile them twice, and the time of the first learner would hold the compiler's.
    """
    if not any(f"{TAGGER}.passes" in closure(module) for module in modules if module_file(module)):
        return
    folder = Path(os.environ["NUMBA_CACHE_DIR"])
    for kinds in KINDS:
        missing = [kind for kind in kinds if not (folder / f"tagger-{kind}").exists()]
        program = [sys.executable, "-m", "replication.engine.compiling"]
        running = {kind: subprocess.Popen([*program, kind]) for kind in missing}  # noqa: S603 - our own program
        for kind, process in running.items():
            # One that failed is no reason to stop: a job that needs these kernels will say why.
            if process.wait() == 0:
                (folder / f"tagger-{kind}").touch()
