"""What the table of exact privacy can be asked for."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge

from replication.settings import Count, Inside, Positive, settings


@settings
class Score:
    """The noise levels, the size of an image, and the δ that is allowed it."""

    p_flips: tuple[Inside, ...] = (0.1, 0.2, 0.3, 0.4)
    variances: tuple[Positive, ...] = (0.1, 0.5)
    pixels: Count = 784
    states: Annotated[int, Ge(2)] = 256
    delta: Inside = 1e-5
