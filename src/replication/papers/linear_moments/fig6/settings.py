"""What figure 6 can be asked for."""

from __future__ import annotations

from typing import Literal

from replication.settings import Positive, Share, settings
from unveil.errors import require

Dataset = Literal["housing", "housing_sparse", "california", "songs", "songs_subset"]
Mechanism = Literal["per_value", "coordinate"]
Scaling = Literal["scaled", "thinned", "sparse"]
Solver = Literal["truncated", "ridge"]


@settings
class Protocol:
    """How a data set is released; a level is α/δ̄ for per_value, α for coordinate."""

    mechanism: Mechanism
    levels: tuple[Positive, ...]
    growth_level: Positive
    design: Scaling

    def __post_init__(self) -> None:
        require(self.growth_level in self.levels, "growth_level must be one of the levels")


@settings
class Release:
    """How each data set is released; `shares` of the records, in the panel against n."""

    protocols: dict[Dataset, Protocol]
    shares: tuple[Share, ...]


@settings
class Learn(Release):
    """The first solver is the primary one; `reach`: the shares of least squares' skill whose α is looked for."""

    solvers: tuple[Solver, ...]
    reach: tuple[Share, ...]


@settings
class Figure:
    """The figure's stages and their arms."""

    release: dict[Literal["small", "songs"], Release]
    learn: dict[Literal["small", "songs", "clear"], Learn]
    score: Learn
