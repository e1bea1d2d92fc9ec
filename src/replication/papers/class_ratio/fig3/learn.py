"""Figure 3, the learner: one pass over the points, then estimates from each release of the proportions.

What a learner takes from the points depends on no proportions: it serves every mechanism, draw and test mixture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from replication.papers.class_ratio.fig3.settings import Learn
from replication.papers.class_ratio.sets import GAMMAS, count_decisions, each_design, inputs_of, points_of
from replication.randomness import Trial
from unveil.estimators.bags.mixtures import class_ratios, is_definite, l1_errors, mixture_weights, without_own_noise
from unveil.estimators.bags.mmd_gram import BANDWIDTHS, mixture_gram
from unveil.types import Array

#: From released proportions, (draws, sets, classes), to the ratios of all test sets, (draws, tests, classes).
Estimate = Callable[[Array], Array]
#: Points of each training set of which the set classifier learns at most. ASSUME: more would not change it much.
SHOWN = 1000


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Ratios of all test sets from all that was released: `(data set, design, estimator, demand, mechanism)`."""
    learned: dict[Key, Array] = {}
    for dataset, arrays in public.items():
        for k, veiled in enumerate(each_design(released["sets"], dataset)):
            proportions = cast("dict[tuple[int, str], Array]", under(veiled, "proportions"))
            design = Problem(veiled, inputs_of(arrays), settings)
            for name in settings.estimators:
                estimate = ESTIMATORS[name](design, trial.rng_of(dataset, k, name))
                for (demand, mechanism), rows in proportions.items():
                    asked = demand == 0 or name == "mmd"
                    if asked and (not settings.veils or mechanism in settings.veils):
                        learned[dataset, k, name, demand, mechanism] = estimate(rows)
    return learned


class Matched:
    """Inner products of the sets at every bandwidth, by diagonal."""

    def __init__(self, gram: Array, validation: Array, tests: Array, sizes: Array, widths: Sequence[float]) -> None:
        self.grams = {"plain": gram, "unbiased": without_own_noise(gram, sizes)}
        self.validation, self.tests, self.sizes, self.widths = validation, tests, sizes, widths

    def estimate(self, diagonal: str, grid: Sequence[float]) -> Estimate:
        """The estimate by one diagonal, with bandwidths from a grid.

        The bandwidth is chosen by the mean L1 error against the *released* proportions of the validation sets: the
        learner has no others.
        """
        own = [self.widths.index(width) for width in grid]
        gram, sets = self.grams[diagonal][own], len(self.sizes)
        usable = np.ones(len(gram), bool)
        if diagonal == "unbiased":  # with as many sets as classes it is definite whatever the proportions
            usable = is_definite(gram, np.eye(sets))
        weights = [mixture_weights(gram, cross[own]) for cross in (self.validation, self.tests)]

        def choose(proportions: Array) -> Array:
            found = []
            for rows in proportions:
                errors = np.where(usable, l1_errors(weights[0], rows[:sets], rows[sets:]), np.inf)
                found.append(class_ratios(weights[1][int(np.argmin(errors))], rows[:sets]))
            return np.stack(found)

        return choose


def match(members: Named, inputs: Array, widths: Sequence[float] = BANDWIDTHS) -> Matched:
    """One kernel pass over the points of all sets."""
    bags, held_out = (list(points_of(inputs, members[kind])) for kind in ("train", "validation"))
    sizes, pool = np.array([len(bag) for bag in bags]), points_of(inputs, members["pool"])
    return Matched(*mixture_gram(bags, held_out, pool, _means(members["tests"]).T, widths), sizes, widths)


@dataclass(frozen=True)
class Problem:
    """The sets of one design, which all estimators of an arm learn from."""

    members: Named
    inputs: Array
    settings: Learn

    @cached_property
    def matched(self) -> Matched:
        """What kernel means are estimated from, at the bandwidths of all estimators that ask."""
        both = "mmd_gamma" in self.settings.estimators
        return match(self.members, self.inputs, sorted({*BANDWIDTHS, *GAMMAS}) if both else BANDWIDTHS)


#: From the sets of a design and the arm's randomness.
Estimator = Callable[[Problem, Generator], Estimate]


def _means(tests: Array) -> Array:
    """What makes the mean over each test set from values of all points of the pool."""
    return np.asarray(tests / tests.sum(axis=1, keepdims=True))


def match_by(diagonal: str = "plain", grid: Sequence[float] = BANDWIDTHS) -> Estimator:
    """Kernel-mean estimates: all of the same sets share one kernel pass."""
    return lambda problem, _: problem.matched.estimate(diagonal, grid)


def classify_sets(problem: Problem, _: Generator) -> Estimate:
    """A set classifier's mean probabilities, unmixed by what released proportions say of the validation sets."""
    from unveil.estimators.bags.quantify import make_logistic  # imported late: the kernel arm needs none of it
    from unveil.estimators.bags.unmixing import class_scores, tell_apart, unmix

    members, inputs = problem.members, problem.inputs
    bags = [points_of(inputs, own[:: max(1, len(own) // SHOWN)]) for own in members["train"]]
    which = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
    model = make_logistic(0.1).fit(np.concatenate(bags), which)
    held_out = np.stack([model.predict_proba(p).mean(axis=0) for p in points_of(inputs, members["validation"])])
    scores = _means(members["tests"]) @ model.predict_proba(points_of(inputs, members["pool"]))

    def unmixed(rows: Array) -> Array:
        # Noise may leave validation sets that do not tell the classes apart. Then nothing is known of any set.
        alike = np.full((len(scores), rows.shape[1]), 1 / rows.shape[1])
        return unmix(scores, class_scores(held_out, rows)) if tell_apart(rows) else alike

    def estimate(proportions: Array) -> Array:
        return np.stack([unmixed(rows[len(bags) :]) for rows in proportions])

    return estimate


def separate_by_proportions(problem: Problem, rng: Generator) -> Estimate:
    """∝SVM, which learns anew from the first of all releases; its predictions are counted."""
    from unveil.estimators.bags.proportion_svm import ProportionSVM  # imported late: the other arms need none of it

    members, inputs = problem.members, problem.inputs
    bags, held_out = (list(points_of(inputs, members[kind])) for kind in ("train", "validation"))
    pool = points_of(inputs, members["pool"])

    def estimate(proportions: Array) -> Array:
        rows, sets = proportions[0], len(bags)
        model = ProportionSVM(random_state=rng, **asdict(problem.settings.psvm))
        model.fit(bags, rows[:sets], (held_out, rows[sets:]))
        return count_decisions(model, pool, members["tests"])[None]

    return estimate


ESTIMATORS: Mapping[str, Estimator] = {
    "mmd": match_by(),
    "mmd_gamma": match_by(grid=GAMMAS),
    "mmd_unbiased": match_by("unbiased"),
    "set_id_logistic": classify_sets,
    "psvm": separate_by_proportions,
}
