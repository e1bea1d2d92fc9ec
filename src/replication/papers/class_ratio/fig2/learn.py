"""Figure 2, the learner: every method learns from the same sets and estimates the same test sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from replication.papers.class_ratio.arms import only, part
from replication.papers.class_ratio.matching import inputs_of
from replication.papers.class_ratio.sets import points_of
from replication.randomness import Trial
from unveil.errors import UnveilError, require
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.proportion_svm import ProportionSVM
from unveil.estimators.bags.quantify import EMQ, ClassifyAndCount
from unveil.estimators.bags.set_logistic import SetIdLogistic
from unveil.types import Array, Arrays


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    methods: Sequence[str],
    options: Mapping[str, Any],
) -> Arrays:
    """Estimated class ratios (tests, classes), named `<data set>/<method>`."""
    learned = {}
    for dataset, arrays in public.items():
        problem = _Problem(part(only(released), dataset), arrays)
        for method in methods:
            for name, ratios in _estimates(method, problem, trial, options):
                learned[f"{dataset}/{name}"] = ratios
    return learned


class _Problem:
    """The sets of one data set as points; labels of instances only where the arm may peek at them."""

    def __init__(self, veiled: Arrays, public: Arrays) -> None:
        inputs = inputs_of(public)
        self.bags = list(points_of(inputs, veiled["train"]))
        self.proportions = veiled["proportions"]
        self.validation = (list(points_of(inputs, veiled["validation"])), veiled["validation_proportions"])
        pool = points_of(inputs, veiled["pool"])
        self.tests = [pool[members] for members in veiled["tests"]]
        self.labels = public["labels"][veiled["train"]].ravel() if "labels" in public else None


def _estimates(
    method: str, problem: _Problem, trial: Trial, options: Mapping[str, Any]
) -> Iterator[tuple[str, Array]]:
    """What one method says about all test sets; ∝SVM says two things."""
    sets = (problem.bags, problem.proportions, problem.validation)
    given = options.get(method, {})
    if method == "mmd":
        yield method, np.asarray(MMDClassRatio().fit(*sets).predict(problem.tests))
    elif method == "mmd_rff":
        yield (
            method,
            np.asarray(MMDClassRatio(random_state=trial.rng, **given).fit(*sets).predict(problem.tests)),
        )
    elif method == "set_id_logistic":
        model = SetIdLogistic(**given).fit(*sets)
        yield method, np.stack([model.predict(points) for points in problem.tests])
    elif method == "psvm":
        machine = ProportionSVM(random_state=trial.rng, **given).fit(*sets)
        yield method, np.stack([machine.predict(points) for points in problem.tests])
        yield "psvm_unmixed", np.stack([machine.predict_unmixed(points) for points in problem.tests])
    else:
        quantifiers = {"emq_labelled": EMQ, "classify_count_labelled": ClassifyAndCount}
        require(method in quantifiers, f"methods: unknown '{method}'")
        if problem.labels is None:
            raise UnveilError(f"methods: '{method}' needs labels, which this arm does not peek at")
        quantifier = quantifiers[method](**given).fit(np.concatenate(problem.bags), problem.labels)
        yield method, np.stack([quantifier.predict(points) for points in problem.tests])
