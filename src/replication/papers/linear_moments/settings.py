"""Choices that several figures of the paper share."""

from __future__ import annotations

from typing import Literal

from replication.settings import Count, NotNegative, Real, settings

#: θ from the least to the largest.
Range = tuple[Real, Real]
#: S[o, y]: a row an observation.
Supervision = tuple[tuple[NotNegative, ...], ...]
#: That of figures 4 and 5.
THREE_BY_THREE: Supervision = ((1 / 3, 1 / 6, 1 / 4), (1 / 3, 1 / 6, 1 / 2), (1 / 3, 2 / 3, 1 / 4))
#: θ of section 5 and figure 3.
Signals = dict[Literal["weak", "strong"], tuple[Real, ...]]


def signals() -> Signals:
    """The weak and the strong signal."""
    return {"weak": (2.0, -0.1), "strong": (5.0, -1.0)}


@settings
class Model:
    """A one-parameter family over a few states, and what is seen of them."""

    statistics: tuple[Real, ...]
    supervision: Supervision = THREE_BY_THREE


@settings
class Curve:
    """The model, and the grid of θ along which it is drawn."""

    model: Model
    theta_range: Range
    points: Count
