"""What the figures of the mean operator's paper choose from."""

from __future__ import annotations

from typing import Annotated, Literal

from replication.settings import OneOf, Positive, Several

Dataset = Annotated[str, OneOf("common.tasks", "TASKS")]
Loss = Literal["logistic", "square", "matsushita", "absolute", "linear", "modified_huber", "cauchy"]
OtherLoss = Literal["hinge", "squared_hinge", "exponential"]
Levels = Annotated[tuple[Positive, ...], Several]
