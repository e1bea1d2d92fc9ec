"""The protocol "tags": how often each tag stands in a window of words."""

from __future__ import annotations

from unveil.protocols.base import ROWS
from unveil.protocols.protocol import Protocol


class TagsProtocol(Protocol):
    """Private tags of words; the learner has the words, in their sentences."""

    name = "tags"
    kinds = (dict.fromkeys(("start", "width", "lengths", "counts", "asked"), ROWS),)
    needs = frozenset({"tags"})


PROTOCOL = TagsProtocol()
