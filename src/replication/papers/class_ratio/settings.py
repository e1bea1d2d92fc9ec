"""The choices that several figures of this paper share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from replication.settings import Count, Grid, Inside, OneOf, Positive, settings
from unveil.errors import require

_MECHANISMS = "papers.class_ratio.mechanisms", "MECHANISMS"
#: What veils the proportions of whole sets; `none` publishes them as they are.
Veil: TypeAlias = Annotated[str, OneOf(*_MECHANISMS, also=("none",))]
#: What figure 1 takes apart: the fallback is put together of two of them.
Exact: TypeAlias = Annotated[str, OneOf(*_MECHANISMS, without=("fallback",))]
#: What learns from veiled proportions.
Estimator: TypeAlias = Annotated[str, OneOf("papers.class_ratio.fig3.learn", "ESTIMATORS")]


def require_room(classes: int, *shares: float) -> None:
    """Refuse a share of every class but one that leaves nothing to that one."""
    most = max(shares)
    require((classes - 1) * most < 1, f"{most:g} for each of {classes} classes but one leaves nothing to that one")


@settings
class Demand:
    """What a mechanism has to keep: section 4.1's defaults."""

    epsilon: Positive = 0.05
    delta: Inside = 0.05


@settings
class Sizes:
    """Members of a set of each kind."""

    train: Count
    validation: Count
    test: Count


@settings
class Machine:
    """What ∝SVM chooses from, its price of wrong counts, and how often it starts; without widths, the library's."""

    bandwidths: Grid[Positive] | None = None
    costs: Grid[Positive] = (0.1, 1.0, 10.0)
    proportion_cost: Positive = 10.0
    restarts: Count = 1
