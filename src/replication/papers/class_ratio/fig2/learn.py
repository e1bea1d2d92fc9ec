"""Figure 2, the learner: every method learns from the same sets and estimates the same test sets."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from replication.papers.class_ratio.fig2.labelled import EVERY_RULE, classify_folds
from replication.papers.class_ratio.fig2.settings import Learn, Options
from replication.papers.class_ratio.sets import GAMMAS, count_decisions, inputs_of, points_of
from replication.randomness import Trial
from unveil.errors import UnveilError
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.proportion_svm import ProportionSVM
from unveil.estimators.bags.set_em import SetIdEM
from unveil.estimators.bags.set_logistic import SetIdLogistic
from unveil.estimators.bags.unmixing import unmix
from unveil.types import Array


class Found(NamedTuple):
    """What a method says of all test sets, (tests, classes), and the bandwidth that it chose, if it has one."""

    ratios: Array
    bandwidth: float = np.nan


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Ratios, named `(data set, method)`, and bandwidths, `("bandwidth", data set, method)`."""
    learned: dict[Key, Array] = {}
    for dataset, arrays in public.items():
        problem = Problem(under(released["sets"], dataset, 0), arrays)
        for method in settings.methods:
            for ending, found in METHODS[method](problem, settings.options, trial.rng_of(dataset, method)).items():
                learned[dataset, method + ending] = found.ratios
                learned["bandwidth", dataset, method + ending] = np.asarray(found.bandwidth)
    return learned


class Problem:
    """The sets of one data set as points; labels of instances only where the arm may peek at them."""

    def __init__(self, exact: Named, public: Mapping[str, Array]) -> None:
        inputs = inputs_of(public)
        bags, validation = (list(points_of(inputs, exact[kind])) for kind in ("train", "validation"))
        shares = exact["proportions", "none"][0]
        self.sets = bags, shares[: len(bags)], (validation, shares[len(bags) :])
        self.pool, self.members = points_of(inputs, exact["pool"]), exact["tests"]
        self.tests = [self.pool[members] for members in self.members]
        self.labels = public["labels"][exact["train"]].ravel() if "labels" in public else None

    @cached_property
    def classified(self) -> tuple[Array, Array, list[Array]]:
        """Posteriors of the training points, their labels, and posteriors of every test set: from one classifier.

        All methods that peek at labels ask the same.
        """
        if self.labels is None:
            raise UnveilError("methods: labelled ones need labels, which this arm does not peek at")
        posteriors, classes, model = classify_folds(np.concatenate(self.sets[0]), self.labels)
        return posteriors, classes, [model.predict_proba(points) for points in self.tests]

    def each(self, predict: Callable[[Array], Array]) -> Array:
        """What is predicted of every test set."""
        return np.stack([predict(points) for points in self.tests])


#: What a method finds, by what is appended to its own name.
Method = Callable[[Problem, Options, Generator], Mapping[str, Found]]


#: What is taken from all features, and by what they are divided.
Scale = Callable[[Problem], tuple[Array, Array]]


def as_they_are(_: Problem) -> tuple[Array, Array]:
    """Not at all."""
    return np.float32(0.0), np.float32(1.0)  # type: ignore[return-value]


def standardise(problem: Problem) -> tuple[Array, Array]:
    """Mean zero and variance one over the training points; a constant feature stays one."""
    points = np.concatenate(problem.sets[0])
    spread = points.std(axis=0)
    return points.mean(axis=0), np.where(spread > 0, spread, np.float32(1.0))


def fill_unit(problem: Problem) -> tuple[Array, Array]:
    """From 0 to 1 over the training points."""
    points = np.concatenate(problem.sets[0])
    low, width = points.min(axis=0), np.ptp(points, axis=0)
    return low, np.where(width > 0, width, np.float32(1.0))


def match_means(random_features: bool = False, scale: Scale = as_they_are, **given: Any) -> Method:
    """Kernel mean matching (section 2.2), of features on a scale of their own."""

    def estimate(problem: Problem, options: Options, rng: Generator) -> Mapping[str, Found]:
        more = {"random_state": rng, **asdict(options.mmd_rff)} if random_features else {}
        low, width = scale(problem)
        bags, shares, (held_out, truth) = problem.sets
        bags, held_out, tests = ([(p - low) / width for p in sets] for sets in (bags, held_out, problem.tests))
        with warnings.catch_warnings():  # that the bandwidth is the grid's edge is recorded with it
            warnings.simplefilter("ignore", UserWarning)
            model = MMDClassRatio(**given, **more).fit(bags, shares, (held_out, truth))
        return {"": Found(np.asarray(model.predict(tests)), model.bandwidth_)}

    return estimate


def identify_sets(problem: Problem, *_: object) -> Mapping[str, Found]:
    """A logistic regression that tells the sets apart, unmixed."""
    return {"": Found(problem.each(SetIdLogistic().fit(*problem.sets).predict))}


def maximise_likelihood(problem: Problem, *_: object) -> Mapping[str, Found]:
    """The same by maximum likelihood of the sets' identities."""
    return {"": Found(np.asarray(SetIdEM().fit(*problem.sets).predict(problem.tests)))}


def separate_by_proportions(name: str) -> Method:
    """∝SVM with the options of that name; the paper's says two things: its second is its first, unmixed."""

    def estimate(problem: Problem, options: Options, rng: Generator) -> Mapping[str, Found]:
        machine = ProportionSVM(random_state=rng, **asdict(getattr(options, name))).fit(*problem.sets)
        shares = count_decisions(machine, problem.pool, problem.members)
        says = {"": shares} | ({"_unmixed": unmix(shares, machine.class_scores_)} if name == "psvm" else {})
        return {ending: Found(ratios, machine.model_.bandwidth) for ending, ratios in says.items()}

    return estimate


def quantify(rule: str) -> Method:
    """A rule of quantification on a classifier that saw labels of instances."""

    def estimate(problem: Problem, *_: object) -> Mapping[str, Found]:
        own, labels, tests = problem.classified
        return {"": Found(np.stack([EVERY_RULE[rule](own, labels, test) for test in tests]))}

    return estimate


METHODS: Mapping[str, Method] = {
    "mmd": match_means(),
    "mmd_refit": match_means(refit=True),
    "mmd_unbiased": match_means(diagonal="unbiased"),
    "mmd_auto": match_means(diagonal="auto", refit=True),
    "mmd_rff": match_means(random_features=True),
    "mmd_gamma": match_means(bandwidths=GAMMAS),
    "mmd_standard": match_means(scale=standardise),
    "mmd_unit": match_means(scale=fill_unit),
    "set_id_logistic": identify_sets,
    "set_id_em": maximise_likelihood,
    "psvm": separate_by_proportions("psvm"),
    "psvm_starts": separate_by_proportions("psvm_starts"),
    "psvm_price": separate_by_proportions("psvm_price"),
    "emq_labelled": quantify("emq"),
    "classify_count_labelled": quantify("classify_count"),
    "acc_labelled": quantify("acc"),
    "pacc_labelled": quantify("pacc"),
    "hdy_labelled": quantify("hdy"),
    "kdey_labelled": quantify("kdey"),
}
