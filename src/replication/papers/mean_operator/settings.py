"""What the figures of the mean operator's paper choose from."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.settings import OWN, Grid, Level, OneOf

Dataset = Annotated[str, OneOf("common.tasks", "TASKS", also=OWN)]
Loss = Literal["logistic", "square", "matsushita", "absolute", "linear", "modified_huber", "cauchy"]
OtherLoss = Literal["hinge", "squared_hinge", "exponential"]
Levels = Grid[Level]
