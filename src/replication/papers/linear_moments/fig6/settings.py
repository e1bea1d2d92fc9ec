"""What figure 6 can be asked for."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.settings import OWN, Grid, Level, OneOf, Several, Share, settings
from unveil.errors import require

#: Readings of a data set that is prepared under another name.
READINGS = ("housing_sparse", "housing_coordinate", "songs_subset_per_value")
Dataset = Annotated[str, OneOf("data.sets", also=(*READINGS, *OWN))]
Mechanism = Annotated[str, OneOf("papers.linear_moments.fig6.design", "MECHANISMS")]
Scaling = Annotated[str, OneOf("papers.linear_moments.fig6.design", "FIELDS")]
Solver = Literal["truncated", "ridge"]


@settings
class Protocol:
    """How a data set is released; a level is α/δ̄ for per_value, α for coordinate."""

    mechanism: Mechanism
    levels: Grid[Level]
    growth_level: Level
    design: Scaling

    def __post_init__(self) -> None:
        require(self.growth_level in self.levels, "growth_level must be one of the levels")


@settings
class Release:
    """How each data set is released; `shares` of the records, in the panel against n."""

    protocols: Annotated[dict[Dataset, Protocol], Several]
    shares: Grid[Share] = (0.01, 0.03, 0.1, 0.3, 1.0)


@settings
class Learn(Release):
    """The first solver is the primary one; `reach`: the shares of least squares' skill whose α is looked for."""

    solvers: Grid[Solver] = ("truncated", "ridge")
    reach: Grid[Share] = (0.5, 0.9)


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Literal["small", "songs"], Release]
    learn: dict[Literal["small", "songs", "clear"], Learn]
    score: Learn
