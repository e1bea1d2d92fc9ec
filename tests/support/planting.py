"""Faults planted at a call, whichever it is: what no test would think of failing fails, too."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

#: Where calls to the operating system come from.
_SYSTEM = ("posix", "fcntl")


@contextmanager
def plant_fault(number: int, error: BaseException, *, system: bool = False) -> Iterator[Callable[[], bool]]:
    """The so-manieth call from here on raises instead; `system` counts those to the operating system alone.

    What is given says whether it came to that.
    """
    raised = start_fault(number, error, system=system)
    try:
        yield raised
    finally:
        sys.setprofile(None)


def start_fault(number: int, error: BaseException, *, system: bool = False) -> Callable[[], bool]:
    """The same until somebody stops it; from within what is tested."""
    left = number

    def watch(_: Any, event: str, what: Any) -> None:
        nonlocal left
        counted = event == "c_call" and getattr(what, "__module__", "") in _SYSTEM if system else "call" in event
        # A file that is closed is let go of even where that fails.
        if counted and what not in (sys.setprofile, os.close):
            left -= 1
            if left == 0:
                raise error

    sys.setprofile(watch)
    return lambda: left <= 0
