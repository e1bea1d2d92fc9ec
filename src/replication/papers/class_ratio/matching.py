"""The learner's side of figure 3 and its companions: one pass over the points, then estimates from each release.

What a learner takes from the points depends on no proportions: it serves every mechanism, draw and test mixture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from itertools import product
from typing import Any

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from replication.papers.class_ratio.sets import as_points, each_design, inputs_of, points_of
from replication.papers.class_ratio.settings import Estimator, Learn, Machine
from replication.randomness import Trial
from unveil.errors import require
from unveil.estimators.bags.mixtures import class_ratios, is_definite, l1_errors, mixture_weights, without_own_noise
from unveil.estimators.bags.mmd_gram import mixture_gram
from unveil.types import Array

#: From released proportions, (draws, sets, classes), to the ratios of all test sets, (draws, tests, classes).
Estimate = Callable[[Array], Array]
#: Points of each training set of which the set classifier learns at most. ASSUME: more would not change it much.
SHOWN = 1000
#: Kernel passes that are remembered.
KEPT = 24


class Matched:
    """Weights α̂ of validation and test sets at every bandwidth, by diagonal."""

    def __init__(self, gram: Array, validation: Array, tests: Array, sizes: Array) -> None:
        self.grams = {"mmd": gram, "mmd_unbiased": without_own_noise(gram, sizes)}
        self.validation, self.tests, self.sizes = validation, tests, sizes

    def estimate(self, name: Estimator) -> Estimate:
        """The estimate by one diagonal.

        The bandwidth is chosen by the mean L1 error against the *released* proportions of the validation sets: the
        learner has no others.
        """
        gram, sets = self.grams[name], len(self.sizes)
        usable = np.ones(len(gram), bool)
        if name == "mmd_unbiased":  # with as many sets as classes it is definite whatever the proportions
            usable = is_definite(gram, np.eye(sets))
        weights = [mixture_weights(gram, cross) for cross in (self.validation, self.tests)]

        def estimated(proportions: Array) -> Array:
            found = []
            for rows in proportions:
                errors = np.where(usable, l1_errors(weights[0], rows[:sets], rows[sets:]), np.inf)
                found.append(class_ratios(weights[1][int(np.argmin(errors))], rows[:sets]))
            return np.stack(found)

        return estimated


def match(members: Named, inputs: Array) -> Matched:
    """One kernel pass over the points of all sets, and none where a process has met the same sets before.

    Universes that veil the same proportions otherwise ask for the same sets, trial by trial.
    """
    chosen = {kind: np.asarray(inputs[members[kind]]) for kind in ("train", "validation", "pool")}
    tests, key = members["tests"], sha256()
    for array in (*chosen.values(), tests):
        key.update(f"{array.shape} {array.dtype}".encode())
        key.update(np.ascontiguousarray(array).data)
    name = key.digest()
    if name not in _matched:
        while len(_matched) >= KEPT:
            del _matched[next(iter(_matched))]
        _matched[name] = _passed(chosen, tests)
    return _matched[name]


#: What `match` has found, the oldest first.
_matched: dict[bytes, Matched] = {}


def _passed(chosen: Mapping[str, Array], tests: Array) -> Matched:
    bags, held_out = (list(as_points(chosen[kind], 2)) for kind in ("train", "validation"))
    sizes, pool = np.array([len(bag) for bag in bags]), as_points(chosen["pool"])
    return Matched(*mixture_gram(bags, held_out, pool, _means(tests).T), sizes)


def _means(tests: Array) -> Array:
    """What makes the mean over each test set from values of all points of the pool."""
    return np.asarray(tests / tests.sum(axis=1, keepdims=True))


def by_kernel(members: Named, inputs: Array, names: Sequence[Estimator]) -> Iterator[tuple[Estimator, Estimate]]:
    """Kernel-mean estimates with one kernel pass."""
    matched = match(members, inputs)
    for name in names:
        yield name, matched.estimate(name)


def by_set_classifier(
    members: Named, inputs: Array, names: Sequence[Estimator]
) -> Iterator[tuple[Estimator, Estimate]]:
    """A set classifier's mean probabilities, unmixed by what released proportions say of the validation sets."""
    from unveil.estimators.bags.quantify import standardised_logistic  # imported late: the kernel arm needs none of it
    from unveil.estimators.bags.unmixing import class_scores, tell_apart, unmix

    bags = [points_of(inputs, own[:: max(1, len(own) // SHOWN)]) for own in members["train"]]
    which = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
    model = standardised_logistic(0.1).fit(np.concatenate(bags), which)
    held_out = np.stack([model.predict_proba(p).mean(axis=0) for p in points_of(inputs, members["validation"])])
    scores = _means(members["tests"]) @ model.predict_proba(points_of(inputs, members["pool"]))

    def unmixed(rows: Array) -> Array:
        # Noise may leave validation sets that do not tell the classes apart. Then nothing is known of any set.
        alike = np.full((len(scores), rows.shape[1]), 1 / rows.shape[1])
        return unmix(scores, class_scores(held_out, rows)) if tell_apart(rows) else alike

    def estimated(proportions: Array) -> Array:
        return np.stack([unmixed(rows[len(bags) :]) for rows in proportions])

    for name in names:
        yield name, estimated


def by_machine(
    members: Named, inputs: Array, names: Sequence[Estimator], machine: Machine, rng: Generator
) -> Iterator[tuple[Estimator, Estimate]]:
    """∝SVM, which learns anew from the first of all releases; its predictions are counted."""
    from unveil.estimators.bags.proportion_svm import ProportionSVM  # imported late: the other arms need none of it

    bags, held_out = (list(points_of(inputs, members[kind])) for kind in ("train", "validation"))
    pool = points_of(inputs, members["pool"])

    def estimated(proportions: Array) -> Array:
        rows, sets = proportions[0], len(bags)
        model = ProportionSVM(random_state=rng, **asdict(machine))
        model.fit(bags, rows[:sets], (held_out, rows[sets:]))
        return np.stack([model.predict(pool[chosen]) for chosen in members["tests"]])[None]

    for name in names:
        yield name, estimated


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Ratios of all test sets from all that was released: `(data set, design, estimator, mechanism)`."""
    learned: dict[Key, Array] = {}
    machine = None if settings.psvm is None else partial(by_machine, machine=settings.psvm, rng=trial.rng)
    learners: dict[Any, Any] = {**LEARNERS, "psvm": machine}
    for dataset, arrays in public.items():
        for k, veiled in enumerate(each_design(released["sets"], dataset)):
            proportions = under(veiled, "proportions")
            if machine is not None:
                proportions = {name: rows for name, rows in proportions.items() if name in settings.veils}
            for kind in dict.fromkeys(learners[name] for name in settings.estimators):
                require(kind is not None, "psvm: must say what ∝SVM chooses from where it is an estimator")
                names = [name for name in settings.estimators if learners[name] is kind]
                for (name, estimate), mechanism in product(kind(veiled, inputs_of(arrays), names), proportions):
                    learned[dataset, k, name, str(mechanism)] = estimate(proportions[mechanism])
    return learned


LEARNERS: Mapping[Estimator, Callable[..., Iterator[tuple[Estimator, Estimate]]]] = {
    "mmd": by_kernel,
    "mmd_unbiased": by_kernel,
    "set_id_logistic": by_set_classifier,
}
