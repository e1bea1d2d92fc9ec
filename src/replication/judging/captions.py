"""Captions are templates: what they say of results is filled in from the scores and the settings.

`{fact[NAME]}` stands for what the drawing module's `facts(scores)` returns under that name, `{setting[NAME]}` for one
of the figure's settings. A line of four dashes parts the caption from its method, which is a file of its own and folded
away on pages. What holds is not said here: only the table of claims knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from unveil.errors import UnveilError, require

if TYPE_CHECKING:
    import pandas as pd

#: What stands for something to be filled in.
PLACE = re.compile(r"\{(fact|setting)\[([^\]]*)\]\}")
#: What parts a caption from its method.
FOLD = "\n----\n"
#: So many words a caption has at most; pages put what holds before it, and the count of claims behind.
MOST_WORDS = 55
#: A list of settings is written out up to this length.
LISTED = 9
#: What reStructuredText would take for markup.
_MARKUP = re.compile(r"([\\*`|]|_(?=\W|$))")


def fill(
    template: str,
    scores: pd.DataFrame,
    metadata: Mapping[str, Any],
    facts: Callable[[pd.DataFrame], Mapping[str, str]] | None = None,
) -> str:
    """The caption of a figure with these scores."""
    known = facts(scores) if facts is not None else {}
    settings = {"trials": metadata["trials"], **metadata["settings"]}

    def said(match: re.Match[str]) -> str:
        kind, name = match.groups()
        return plain(_look_up(known, name, "fact") if kind == "fact" else _plain(_setting(settings, name)))

    return PLACE.sub(said, template)


def split_method(text: str) -> tuple[str, str]:
    """A caption and its method, which may be empty."""
    caption, _, method = text.partition(FOLD)
    return f"{caption.strip()}\n", f"{method.strip()}\n".lstrip()


def plain(text: str) -> str:
    """Text that reStructuredText takes for text."""
    return _MARKUP.sub(r"\\\1", text)


def _setting(settings: Any, name: str) -> Any:
    """A setting by its name, with dots between a group and what it holds."""
    value = settings
    for part in name.split("."):
        require(isinstance(value, Mapping), f"the caption asks for the setting '{name}': '{part}' is in no group")
        value = _look_up(value, part, "setting")
    return value


def _look_up(known: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in known:
        raise UnveilError(f"the caption asks for the {what} '{name}'; there is: {', '.join(known) or 'none'}")
    return known[name]


def _plain(value: Any) -> str:
    """A value of a setting for reading."""
    if isinstance(value, list):
        parts = [_plain(part) for part in value]
        return ", ".join(parts if len(parts) <= LISTED else [*parts[:2], "…", parts[-1]])
    if isinstance(value, float | int) and not isinstance(value, bool):
        return f"{value:,}" if isinstance(value, int) else f"{value:g}".replace("-", "−")
    return str(value).replace("inf", "∞") if value in ("inf", "-inf") else str(value)
