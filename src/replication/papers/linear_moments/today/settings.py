"""What the figure can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.common.tuning import Levels
from replication.settings import OWN, Count, Grid, OneOf, Rising, Several, settings

Mechanism = Annotated[str, OneOf("papers.linear_moments.today.release", "MECHANISMS")]
#: Data sets with a target, and `linear`, drawn from a model that everybody knows.
Regressed = Annotated[str, OneOf("data.sets", also=("linear", *OWN))]


@settings
class Release:
    """The exact levels of a whole record, what releases records there, and of how many of each data set."""

    epsilons: Levels = (1.0, 2.0, 4.0, 8.0)
    mechanisms: Grid[Mechanism]
    sizes: Annotated[dict[Regressed, Rising[Count]], Several]


@settings
class Figure:
    """Its stages; `clear` holds the products of the records themselves."""

    release: dict[Literal["records"], Release]
    learn: dict[Literal["private", "clear"], Release]
    score: Release
