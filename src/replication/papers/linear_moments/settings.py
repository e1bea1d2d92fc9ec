"""Choices that several figures of the paper share."""

from __future__ import annotations

from replication.settings import Count, NotNegative, Real, settings

#: θ from the least to the largest.
Range = tuple[Real, Real]
#: S[o, y]: a row an observation.
Supervision = tuple[tuple[NotNegative, ...], ...]


@settings
class Model:
    """A one-parameter family over a few states, and what is seen of them."""

    statistics: tuple[Real, ...]
    supervision: Supervision


@settings
class Curve:
    """The model, and the grid of θ along which it is drawn."""

    model: Model
    theta_range: Range
    points: Count
