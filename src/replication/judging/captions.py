"""Captions are templates: what they say of results is filled in from the scores, the settings and the verdicts.

`{claim[ID]}` stands for a sentence with that claim's verdict and numbers, `{fact[NAME]}` for what the figure's
`draw.facts(scores)` returns under that name, `{setting[NAME]}` for one of the figure's settings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unveil.errors import UnveilError, require

if TYPE_CHECKING:
    import pandas as pd

    from replication.judging.claim import Claim

#: What stands for something to be filled in.
PLACE = re.compile(r"\{(claim|fact|setting)\[([^\]]*)\]\}")
#: A list of settings is written out up to this length.
LISTED = 9
#: What reStructuredText would take for markup.
_MARKUP = re.compile(r"([\\*`|]|_(?=\W|$))")


def names(template: str, kind: str) -> list[str]:
    """What a template asks for of one kind: claim, fact or setting."""
    return [name for found, name in PLACE.findall(template) if found == kind]


def fill(
    template: str,
    scores: pd.DataFrame,
    metadata: Mapping[str, Any],
    claims: Sequence[Claim] = (),
    facts: Callable[[pd.DataFrame], Mapping[str, str]] | None = None,
) -> str:
    """The caption of a figure with these scores."""
    known = dict(facts(scores)) if facts is not None else {}
    grades = {item["dataset"]: item["grade"] for item in metadata["data"]}
    own = {claim.id: claim for claim in claims if claim.figure == metadata["figure"]}

    def said(match: re.Match[str]) -> str:
        kind, name = match.groups()
        if kind == "claim":
            from replication.judging.judge import judge_claim, row_of
            from replication.judging.words import sentence

            claim = _look_up(own, name, "claim of this figure")
            text = sentence(row_of(metadata["paper"], claim, *judge_claim(claim, scores, grades)))
        elif kind == "fact":
            text = _look_up(known, name, "fact")
        else:
            text = _plain(_setting({"trials": metadata["trials"], **metadata["settings"]}, name))
        return plain(text)

    return PLACE.sub(said, template)


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
