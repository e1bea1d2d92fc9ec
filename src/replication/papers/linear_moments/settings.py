"""Choices that several figures of the paper share."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import Annotated, Literal

from replication.settings import Probability, Real, Several, Steps, Where, settings
from unveil.errors import require

#: θ from the least to the largest.
Range = Annotated[tuple[Real, Real], Where(lambda ends: ends[0] < ends[1], "must go from less to more")]


def is_supervision(rows: tuple[tuple[float, ...], ...]) -> bool:
    """Whether they are as long as one another, and each column is a law."""
    return len({*map(len, rows)}) == 1 and all(
        isclose(sum(column), 1, abs_tol=1e-9) for column in zip(*rows, strict=True)
    )


#: S[o, y]: a row an observation.
Supervision = Annotated[
    tuple[tuple[Probability, ...], ...], Where(is_supervision, "each column of a supervision sums to one")
]
#: That of figures 4 and 5.
THREE_BY_THREE: Supervision = ((1 / 3, 1 / 6, 1 / 4), (1 / 3, 1 / 6, 1 / 2), (1 / 3, 2 / 3, 1 / 4))
#: θ of section 5 and figure 3.
Signals = Annotated[dict[Literal["weak", "strong"], Annotated[tuple[Real, ...], Several]], Several]


def signals() -> Signals:
    """The weak and the strong signal."""
    return {"weak": (2.0, -0.1), "strong": (5.0, -1.0)}


def require_states(statistics: Sequence[float], *supervisions: Supervision | None) -> None:
    """Refuse a supervision of other states than there are statistics of."""
    fitting = all(each is None or len(each[0]) == len(statistics) for each in supervisions)
    require(fitting, "a supervision has as many columns as there are statistics")


@settings
class Model:
    """A one-parameter family over a few states, and what is seen of them."""

    statistics: tuple[Real, ...]
    supervision: Supervision = THREE_BY_THREE

    def __post_init__(self) -> None:
        require_states(self.statistics, self.supervision)


@settings
class Curve:
    """The model, and the grid of θ along which it is drawn."""

    model: Model
    theta_range: Range
    points: Steps
