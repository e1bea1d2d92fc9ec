"""What figure 2 can be asked for."""

from __future__ import annotations

from typing import Literal, TypeAlias

from replication.papers.class_ratio.settings import Dataset, Machine, Sizes
from replication.settings import Count, Inside, Probability, settings

Method: TypeAlias = Literal[
    "mmd",
    "mmd_refit",
    "mmd_unbiased",
    "mmd_auto",
    "mmd_rff",
    "set_id_logistic",
    "set_id_em",
    "psvm",
    "emq_labelled",
    "classify_count_labelled",
    "acc_labelled",
    "pacc_labelled",
    "hdy_labelled",
    "kdey_labelled",
]


@settings
class Score:
    """The test sets: their sizes, and their shares of positives."""

    sets: dict[Dataset, Sizes]
    fractions: tuple[Probability, ...]


@settings
class Release(Score):
    """All sets; in one training and validation set of two, `rho` are positive, in the other negative."""

    rho: Inside


@settings
class RandomFeatures:
    """How many of them replace the kernel."""

    random_features: Count


@settings
class Options:
    """Of the methods that are not at their defaults."""

    mmd_rff: RandomFeatures
    psvm: Machine


@settings
class Learn:
    """The methods of an arm."""

    methods: tuple[Method, ...]
    options: Options


@settings
class Figure:
    """Its stages; the labelled arm peeks at labels of instances."""

    release: dict[Literal["sets"], Release]
    learn: dict[Literal["kernel", "proportion_svm", "labelled"], Learn]
    score: Score
