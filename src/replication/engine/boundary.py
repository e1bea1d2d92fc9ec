"""The trust boundary inside a learner's process.

The rules already give a learner only what was released or is public; this makes sure that its code does not go around
them. It guards against mistakes, not against malice.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from replication.engine.seal import seal_of
from unveil.errors import UnveilError


def confine(folders: Iterable[Path], allowed: Iterable[Path], output: Path) -> None:
    """From now on open nothing under `folders` but the `allowed` files, their seals and this process's `output`."""
    private = tuple(f"{folder.absolute()}{os.sep}" for folder in folders)
    granted = {str(file.absolute()) for path in allowed for file in (path, seal_of(path))}
    drafts = str(output.absolute().with_name(f".{output.name}."))

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | bytes | os.PathLike):
            path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100 - called at every open
            if path.startswith(private) and path not in granted and not path.startswith(drafts):
                raise UnveilError(f"a learner may not read {path}: it was neither released nor declared public")

    sys.addaudithook(watch)
