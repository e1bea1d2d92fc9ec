"""The protocol "ratios": noisy shares of classes in sets of public records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unveil.errors import require
from unveil.protocols.base import ROWS, Release
from unveil.protocols.protocol import Protocol


class RatiosProtocol(Protocol):
    """Private classes; the learner has the features, and knows which records make a set."""

    name = "ratios"
    kinds = (dict.fromkeys(("proportions", "sizes", "noise"), ROWS),)
    needs = frozenset({"classes"})
    of_rows = ("sets",)

    def check_arrays(self, release: Release, lengths: set[int], path: Path) -> None:
        """One row a set, whose sizes add up."""
        known, arrays = release.parameters, release.arrays
        require(arrays["sizes"].sum() == release.records, f"{path} must hold sets of {release.records} records in all")
        require(arrays["proportions"].shape[1:] == (len(known["classes"]),), f"{path} must hold a share of each class")
        require(len(lengths) == 1, f"{path} must hold as many rows in every array")
        names: Any = known.get("sets")
        named = isinstance(names, list) and all(isinstance(name, str) for name in names)
        fine = named and len(set(names)) == len(names) == len(arrays["sizes"])
        require(names is None or fine, f"{path} must give each of its sets a name of its own, or none a name")


PROTOCOL = RatiosProtocol()
