"""How long fetching waits for anything."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """Limits in seconds, and the slowest transfer that is borne, in bytes a second."""

    #: For each host's answer to the first question; all are asked at once.
    probe: float = 7.0
    #: To connect, and for the next bytes of a transfer.
    connect: float = 4.0
    stall: float = 10.0
    #: For one file as a whole; its average speed counts after the grace time.
    ceiling: float = 3600.0
    slowest: float = 2000.0
    grace: float = 15.0
    #: How long a verdict about a host holds.
    memory: float = 900.0
