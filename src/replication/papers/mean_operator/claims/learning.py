"""Experiments with the mean operator, of which the paper has none: utility, proportions, reconstruction."""

from __future__ import annotations

import numpy as np
import pandas as pd

from replication.judging.claim import Choice, Claim, Matters, Origin, vary
from replication.judging.statistics import by_trial, differences, one_test_set, over_trials, rows
from replication.judging.verdicts import CannotTell, Observation, Quantifier

DATASETS = ("census", "mnist", "breast_cancer")
#: Records on which accuracy is measured: one official test set, or the whole of a small collection over all trials.
TESTED = {"census": 16_281, "mnist": 2_037, "breast_cancer": 569}

NOISE = vary("calibration", "“‖xᵢ‖ ≤ 1”, not said in which norm", "the printed scale, 2/(mα)",
             mechanism=("laplace", "gamma"))  # fmt: skip
#: The paper has no experiment; what it leaves to whoever makes one.
PROTOCOL = (
    Choice("records", "none", "Census, MNIST's 7 and 9, breast cancer: real records of our choice"),
    Choice("regulariser", "“the cross validation of λ is left aside”", "λ from a grid, by what was released"),
    Choice("loss", "any linear-odd one", "logistic, square and Matsushita"),
)
ACCURACY = Matters(1.0, "one point of accuracy")
LABELS = Matters(5.0, "one label in twenty")
#: The level at which noise should hide labels.
ALPHA = 1.0


def _in_points(found: dict[str, pd.Series], means: dict[str, list[float]]) -> list[Observation]:
    """Differences of accuracies, in points; one test set gives all trials a variance, by the accuracies' `means`."""
    shared = {setting: 1e4 * one_test_set(pair, TESTED[setting.split(",")[0]]) for setting, pair in means.items()}
    return over_trials({setting: 100 * values for setting, values in found.items()}, shared=shared)


def utility(scores: pd.DataFrame, mechanism: str = "printed") -> list[Observation]:
    """Accuracy at the largest α minus that at the smallest, in points, by data set and loss."""
    own = rows(scores, mechanism=mechanism, dataset=list(DATASETS))
    if "panel" in own:
        own = rows(own, panel="alpha")
    if "rule" in own:
        own = rows(own, rule="released")
    least, most = own["alpha"].min(), own["alpha"].max()
    found = differences(own, "accuracy", {"alpha": most}, {"alpha": least}, ["dataset", "loss"])
    ends = rows(own, alpha=[least, most]).groupby(["dataset", "loss", "alpha"])["accuracy"].mean()
    return _in_points(found, {setting: ends[*setting.split(", ")].tolist() for setting in found})


def homogeneity_matters(scores: pd.DataFrame) -> list[Observation]:
    """Accuracy of mean map from homogeneous bags minus that from sorted ones, without noise, in points."""
    own = rows(scores, method="mean_map", mechanism="none", dataset=list(DATASETS))
    chosen = {"bagging": "homogeneous"}, {"bagging": "sorted"}
    found = differences(own, "accuracy", *chosen, ["dataset", "bags"])
    means = own.groupby(["dataset", "bagging"])["accuracy"].mean()
    return _in_points(found, {setting: means[setting.split(",")[0]].tolist() for setting in found})


def exact_release_gives_labels_away(scores: pd.DataFrame) -> list[Observation]:
    """The percentage of labels read back from an exact release of the fewest records, beyond the commoner class's."""
    if "majority" not in scores:
        raise CannotTell("the scores do not say what guessing the commoner class gets right")
    own = _fewest_records(scores, np.inf)
    own = own.assign(gain=100 * (own["recovered"] - own["majority"]))
    return over_trials(by_trial(own, "gain", ["dataset"]), span=100.0)


def noise_hides_labels(scores: pd.DataFrame) -> list[Observation]:
    """The percentage of labels read back from an exact release minus that at α, for the fewest records."""
    own = _fewest_records(scores, ALPHA, np.inf)
    hidden = differences(own, "recovered", {"alpha": np.inf}, {"alpha": ALPHA}, ["dataset"])
    return over_trials({dataset: 100 * values for dataset, values in hidden.items()}, span=200.0)


def _fewest_records(scores: pd.DataFrame, *alphas: float) -> pd.DataFrame:
    own = rows(scores, dataset=list(DATASETS), alpha=alphas)
    return own[own["m"] == own.groupby("dataset")["m"].transform("min")]


CLAIMS: tuple[Claim, ...] = (
    Claim("α-trades-utility", "The larger α, the more useful the release: α trades privacy off against utility.",
          "section 4.2", "release", utility, Quantifier.TYPICAL,
          "accuracy, at the largest α minus that at the smallest", "points of accuracy", ACCURACY, DATASETS,
          short="A larger α makes the release more useful", headline=True, choices=(NOISE, *PROTOCOL)),
    Claim("mean-map-needs-homogeneity",
          "Mean map needs bags in which each class looks alike: from sorted bags it is less accurate.",
          "section 3, an assumption of [19]", "proportions", homogeneity_matters, Quantifier.TYPICAL,
          "accuracy, from homogeneous bags minus that from sorted ones", "points of accuracy", ACCURACY, DATASETS,
          Origin.BEYOND, short="Mean map needs homogeneous bags"),
    Claim("exact-release-gives-labels-away",
          "With no more records than features, an exact mean operator gives most labels away.",
          "beside section 4", "reconstruction", exact_release_gives_labels_away, Quantifier.ALL,
          "labels read back, beyond those that guessing the commoner class gets right", "percentage points",
          LABELS, DATASETS, Origin.BEYOND,
          short="An exact mean operator gives labels away"),
    Claim("noise-hides-labels",
          "At α = 1, in the right calibration, fewer labels are read back than from an exact release.",
          "beside section 4", "reconstruction", noise_hides_labels, Quantifier.ALL,
          "labels read back, from an exact release minus those at α", "percentage points", LABELS, DATASETS,
          Origin.BEYOND, short="Noise at α = 1 hides labels"),
)  # fmt: skip
