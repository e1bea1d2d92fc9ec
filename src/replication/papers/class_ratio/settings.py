"""The choices that several figures of this paper share."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from annotated_types import Ge

from replication.settings import Count, Inside, Positive, Share, settings

Dataset: TypeAlias = Literal["census", "youtube", "higgs", "mnist", "acoustic", "twitter"]

_Private: TypeAlias = Literal[
    "laplace",
    "gaussian",
    "gaussian_analytic",
    "laplace_prior",
    "scaled_dirichlet",
    "scaled_dirichlet_tight",
    "scaled_dirichlet_public",
    "subsample",
]
#: What veils the proportions of whole sets; `fallback` is the scaled Dirichlet, and the Laplace prior without a σ.
Veil: TypeAlias = Literal["none", _Private, "fallback"]
#: What figure 1 takes apart.
Exact: TypeAlias = _Private
Mechanism: TypeAlias = Literal[Veil, Exact]
#: What learns from veiled proportions; no figure but the second has others.
Estimator: TypeAlias = Literal["mmd", "mmd_unbiased", "mmd_auto", "set_id_logistic", "psvm"]

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
    """Sets of one data set: its classes, and the share of every class but one in a training set.

    With `others` there are test sets of that size, too, in which each of the other classes is the common one.
    """

    classes: Steps
    rhos: tuple[Inside, ...]
    others: Count | None = None


@settings
class Designed:
    """Sets in every skew and in copies of smaller sets, whose proportions are veiled in several ways."""

    sets: dict[Dataset, Skewed]
    copies: tuple[Count, ...]
    steps: Steps
    mechanisms: tuple[Veil, ...]


@settings
class Veiled(Designed, Demand):
    """What the owner of such sets does: so many independent releases by every mechanism.

    The public lower bound on the counts of a set is that share of its smallest count.
    """

    draws: Count
    public_minimum_share: Share = 0.8


@settings
class Machine:
    """What ∝SVM chooses from, and how often it starts; without widths, from those of the library."""

    bandwidths: tuple[Positive, ...] | None = None
    costs: tuple[Positive, ...]
    restarts: Count


@settings
class Learn:
    """The estimators of an arm; ∝SVM, which has to learn anew from each release, of one draw of these mechanisms."""

    estimators: tuple[Estimator, ...] = ("mmd",)
    psvm: Machine | None = None
    veils: tuple[Veil, ...] = ()


@settings
class DesignedFigure:
    """The stages of figure 3 and its companions."""

    release: dict[Literal["sets"], Veiled]
    learn: dict[Literal["mmd", "set_id", "psvm"], Learn]
    score: Designed
