"""Figure 2, the learner: every method learns from the same sets and estimates the same test sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from replication.papers.class_ratio.fig2.settings import Learn, Method, Options
from replication.papers.class_ratio.sets import below, inputs_of, points_of
from replication.randomness import Trial
from unveil.errors import UnveilError
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.proportion_svm import ProportionSVM
from unveil.estimators.bags.quantify import EMQ, ClassifyAndCount
from unveil.estimators.bags.set_logistic import SetIdLogistic
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Estimated class ratios (tests, classes), named `(data set, method)`."""
    learned: dict[Key, Array] = {}
    for dataset, arrays in public.items():
        problem = Problem(under(released["sets"], dataset, 0), arrays)
        for method in settings.methods:
            learned |= below(METHODS[method](problem, settings.options, trial.rng), dataset)
    return learned


class Problem:
    """The sets of one data set as points; labels of instances only where the arm may peek at them."""

    def __init__(self, exact: Named, public: Mapping[str, Array]) -> None:
        inputs = inputs_of(public)
        bags, validation = (list(points_of(inputs, exact[kind])) for kind in ("train", "validation"))
        shares = exact["proportions", "none"][0]
        self.sets = bags, shares[: len(bags)], (validation, shares[len(bags) :])
        pool = points_of(inputs, exact["pool"])
        self.tests = [pool[members] for members in exact["tests"]]
        self.labels = public["labels"][exact["train"]].ravel() if "labels" in public else None

    def each(self, predict: Callable[[Array], Array]) -> Array:
        """What is predicted of every test set."""
        return np.stack([predict(points) for points in self.tests])


def _mmd(problem: Problem, options: Options, rng: Generator) -> dict[str, Array]:
    return {"mmd": np.asarray(MMDClassRatio().fit(*problem.sets).predict(problem.tests))}


def _mmd_rff(problem: Problem, options: Options, rng: Generator) -> dict[str, Array]:
    model = MMDClassRatio(random_state=rng, **asdict(options.mmd_rff))
    return {"mmd_rff": np.asarray(model.fit(*problem.sets).predict(problem.tests))}


def _set_id_logistic(problem: Problem, options: Options, rng: Generator) -> dict[str, Array]:
    return {"set_id_logistic": problem.each(SetIdLogistic().fit(*problem.sets).predict)}


def _psvm(problem: Problem, options: Options, rng: Generator) -> dict[str, Array]:
    """∝SVM says two things."""
    machine = ProportionSVM(random_state=rng, **asdict(options.psvm)).fit(*problem.sets)
    return {"psvm": problem.each(machine.predict), "psvm_unmixed": problem.each(machine.predict_unmixed)}


def _labelled(name: Method, quantifier: type[EMQ | ClassifyAndCount]) -> MethodFunction:
    def estimate(problem: Problem, options: Options, rng: Generator) -> dict[str, Array]:
        if problem.labels is None:
            raise UnveilError(f"methods: '{name}' needs labels, which this arm does not peek at")
        fitted = quantifier().fit(np.concatenate(problem.sets[0]), problem.labels)
        return {name: problem.each(fitted.predict)}

    return estimate


#: What a method says about all test sets, (tests, classes), by name.
MethodFunction = Callable[[Problem, Options, Generator], Mapping[str, Array]]

METHODS: Mapping[Method, MethodFunction] = {
    "mmd": _mmd,
    "mmd_rff": _mmd_rff,
    "set_id_logistic": _set_id_logistic,
    "psvm": _psvm,
    "emq_labelled": _labelled("emq_labelled", EMQ),
    "classify_count_labelled": _labelled("classify_count_labelled", ClassifyAndCount),
}
