"""The choices that several figures of this paper share."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from annotated_types import Ge

from replication.settings import Count, Inside, Nothing, Positive, settings

Dataset: TypeAlias = Literal["census", "youtube", "higgs", "mnist", "acoustic", "twitter"]

_Private: TypeAlias = Literal[
    "laplace",
    "gaussian",
    "gaussian_analytic",
    "laplace_prior",
    "scaled_dirichlet",
    "scaled_dirichlet_tight",
    "subsample",
]
#: What veils the proportions of whole sets; `fallback` is the scaled Dirichlet, and the Laplace prior without a σ.
Veil: TypeAlias = Literal["none", _Private, "fallback"]
#: What figure 1 takes apart; one has a public lower bound on all counts.
Exact: TypeAlias = Literal[_Private, "scaled_dirichlet_public"]
Mechanism: TypeAlias = Literal[Veil, Exact]

#: Test mixtures, of which the first is the most skewed and the last the even one.
Steps: TypeAlias = Annotated[int, Ge(2)]


@settings
class Demand:
    """What a mechanism has to keep."""

    epsilon: Positive
    delta: Inside


@settings
class Sizes:
    """Members of a set of each kind."""

    train: Count
    validation: Count
    test: Count


@settings
class Skewed(Sizes):
    """Sets of one data set: its classes, and the share of every class but one in a training set."""

    classes: Steps
    rhos: tuple[Inside, ...]


@settings
class Designed:
    """Sets in every skew and in copies of smaller sets, whose proportions are veiled in several ways."""

    sets: dict[Dataset, Skewed]
    copies: tuple[Count, ...]
    steps: Steps
    mechanisms: tuple[Veil, ...]


@settings
class Veiled(Designed, Demand):
    """What the owner of such sets does: so many independent releases by every mechanism."""

    draws: Count


@settings
class DesignedFigure:
    """The stages of figure 3 and its companions."""

    release: dict[Literal["sets"], Veiled]
    learn: dict[Literal["mmd"], Nothing]
    score: Designed
