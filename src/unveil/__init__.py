"""Learning from data seen only through a veil.

The public names are listed in `__init__.pyi`, which says where each is defined. They are loaded on first use, so that
`import unveil` costs nothing and a module's import closure holds only what it needs. Inside the package, modules import
from each other, never from here.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

#: The module of each public name, below `unveil`.
_HOME: dict[str, str] = {
    name: module
    for module, name in re.findall(
        r"^from unveil\.(\S+) import (\w+) as \2$",
        Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'unveil' has no attribute {name!r}")
    return getattr(import_module(f"unveil.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
