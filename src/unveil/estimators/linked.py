"""Compiled functions that call compiled functions of other files.

numba's cache holds a function's machine code together with that of everything it calls, and checks the date of the
function's own file only: after an edit of a callee in another file, callers would go on running the old code. Here
the cache's folder carries a digest of the files called into.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numba

#: numba's settings, among them where the next function to be compiled keeps its cache.
config: Any = numba.config


def njit_linked(*called: ModuleType) -> Callable[[Callable[..., Any]], Any]:
    """`njit(cache=True)` for a function that reaches compiled functions of the modules `called`."""
    sources = b"\0".join(Path(str(module.__file__)).read_bytes() for module in called)
    digest = hashlib.sha256(sources).hexdigest()[:16]

    def compiled(function: Callable[..., Any]) -> Any:
        default = config.CACHE_DIR
        beside = Path(function.__code__.co_filename).parent / "__pycache__"
        config.CACHE_DIR = str(Path(default or beside) / f"numba-{digest}")
        try:
            return numba.njit(cache=True)(function)
        finally:
            config.CACHE_DIR = default

    return compiled
