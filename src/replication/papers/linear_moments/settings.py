"""Choices that several figures of the paper share."""

from __future__ import annotations

from typing import Literal

from replication.settings import Count, NotNegative, Positive, Real, Whole, settings

Corpus = Literal["treebank", "ewt"]
Estimator = Literal[
    "supervised",
    "most_frequent",
    "moments",
    "moments_features",
    "moments_sgd",
    "moments_sgd_two",
    "moments_all",
    "moments_features_all",
    "moments_sgd_all",
    "moments_sgd_two_all",
    "marginal_exact",
    "marginal_beam",
    "marginal_merged",
]
Inference = Literal["exact", "merged", "beam"]
Optimizer = Literal["adagrad", "sgd"]

#: θ from the least to the largest.
Range = tuple[Real, Real]
#: S[o, y]: a row an observation.
Supervision = tuple[tuple[NotNegative, ...], ...]
#: Tokens in a window; 0 is the whole sentence.
Windows = tuple[Whole, ...]


@settings
class Model:
    """A one-parameter family over a few states, and what is seen of them."""

    statistics: tuple[Real, ...]
    supervision: Supervision


@settings
class Curve:
    """The model, and the grid of θ along which it is drawn."""

    model: Model
    theta_range: Range
    points: Count


@settings
class Regions:
    """What the owner of a corpus releases: windows of these sizes of so many training sentences."""

    windows: Windows
    train_sentences: Count | None


@settings
class Evaluated:
    """When a tagger in training is looked at, in passes, and the width of its beam."""

    evaluate_at: tuple[NotNegative, ...]
    beam: Count


@settings
class Training(Evaluated):
    """The window sizes of each estimator, and what all taggers of figure 7 have in common."""

    estimators: dict[Estimator, Windows]
    ridge: Positive
    step1_tolerance: Positive
    step1_rate: Positive
    budget: Count
