"""The choices that several figures of this paper share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from annotated_types import Ge

from replication.settings import Count, Inside, OneOf, Positive, settings

_MECHANISMS = "papers.class_ratio.mechanisms", "MECHANISMS"
#: What veils the proportions of whole sets; `none` publishes them as they are.
Veil: TypeAlias = Annotated[str, OneOf(*_MECHANISMS, also=("none",))]
#: What figure 1 takes apart: the fallback is put together of two of them.
Exact: TypeAlias = Annotated[str, OneOf(*_MECHANISMS, without=("fallback",))]
#: What learns from veiled proportions.
Estimator: TypeAlias = Annotated[str, OneOf("papers.class_ratio.fig3.learn", "ESTIMATORS")]

#: Test mixtures, of which the first is the most skewed and the last the even one.
Steps: TypeAlias = Annotated[int, Ge(2)]


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
    """What ∝SVM chooses from, and how often it starts; without widths, from those of the library."""

    bandwidths: tuple[Positive, ...] | None = None
    costs: tuple[Positive, ...] = (0.1, 1.0, 10.0)
    restarts: Count = 1
