"""The protocol "records": whole records, each noised on its own."""

from __future__ import annotations

from unveil.protocols.base import ROWS
from unveil.protocols.protocol import Protocol


class RecordsProtocol(Protocol):
    """Private labels of two classes and features; the learner has nothing else."""

    name = "records"
    kinds = ({"features": ROWS, "labels": ROWS},)
    needs = frozenset({"label_flip", "input_noise", "noise", "states", "classes"})


PROTOCOL = RecordsProtocol()
