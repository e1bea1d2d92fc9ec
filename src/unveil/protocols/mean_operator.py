"""The protocol "mean-operator": a noisy sum of all labels times their public features."""

from __future__ import annotations

from pathlib import Path

from unveil.errors import require
from unveil.protocols.base import SUM, Release
from unveil.protocols.protocol import Protocol


class MeanOperatorProtocol(Protocol):
    """Private labels of two classes; the learner has the features."""

    name = "mean-operator"
    kinds = ({"sum": SUM, "variance": SUM},)
    needs = frozenset({"dimension", "intercept", "classes"})

    def check_arrays(self, release: Release, lengths: set[int], path: Path) -> None:  # noqa: ARG002 - has no rows
        """Sums of one dimension."""
        d, classes = release.parameters["dimension"], release.parameters["classes"]
        sized = all(array.shape == (d,) for array in release.arrays.values())
        require(sized and len(classes) == 2, f"{path} must hold sums of its dimension, and two classes")


PROTOCOL = MeanOperatorProtocol()
