"""The learner of class ratios: every quantifier takes sets with their class proportions, veiled or worked out.

Labels behind randomised response are sets, too: those reported alike. What proportions they have follows by Bayes'
rule from the response's known chances and the corrected shares of the reports, so that each quantifier is corrected
for the veil. Those of a classifier share one, the calibrated regression of `SetIdEM`, tuned on what was released:
fitted on the training sets, it tells of the validation sets how it sees each class.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist
from scipy.special import softmax, xlogy

from replication.arrays import Fields, Key, Named, under
from replication.papers.class_ratio.fig3.learn import match
from replication.papers.class_ratio.sets import inputs_of, points_of
from replication.papers.class_ratio.today.release import response
from replication.papers.class_ratio.today.settings import Learn
from replication.randomness import Trial
from unveil.estimators.bags.mmd import MMDClassRatio
from unveil.estimators.bags.mmd_gram import BANDWIDTHS
from unveil.estimators.bags.quantify import adjust_prior
from unveil.estimators.bags.set_em import SetIdEM
from unveil.estimators.bags.unmixing import tell_apart, unmix
from unveil.numerics.simplex import project_to_simplex
from unveil.types import Array

#: ASSUME: no class is rarer than this among the labels that are reported.
EDGE = 0.005
#: Bins of a histogram of posteriors (Maletzke et al. 2019), and the width of a kernel in their density (Moreo,
#: González and del Coz 2025), which are those of their authors' software.
BINS, WIDTH = 8, 0.1
#: Strengths of the regression's penalty, inverted, among which the validation sets choose.
COSTS = (0.001, 0.01, 0.1, 1.0)


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Ratios of the test sets, `(data set, method, what was released, level)`; even ones where no set differs."""
    learned: dict[Key, Array] = {}
    for dataset, arrays in public.items():
        found, inputs = under(released["sets"], dataset), inputs_of(arrays)
        sets = [list(points_of(inputs, found[kind])) for kind in ("train", "validation")]
        pool = points_of(inputs, found["pool"])
        tests = [pool[own] for own in found["tests"]]
        turn = find_components(np.concatenate([*sets[0], *sets[1]]), inputs.dtype == np.uint8, settings.components)
        if trial.arm == "labels":
            for level, epsilon in enumerate(settings.epsilons):
                problem = Problem(*sort_reports(sets, found["reports", level], epsilon, len(sets[0])), tests, turn)
                learned |= {(dataset, name, "reports", level): problem.estimate(name) for name in settings.methods}
            continue
        # Kernel means depend on no proportions: one pass serves all noises.
        kernel = match(found, inputs, BANDWIDTHS).estimate("plain", BANDWIDTHS)
        for key, rows in found.items():
            if isinstance(key, tuple) and key[0] != "reports":
                matched = partial(kernel, rows[None])
                problem = Problem(sets, np.split(rows, [len(sets[0])]), tests, turn, matched)
                # The first noise serves all methods; of the others MMD tells what they cost.
                names = settings.methods if key[0] == "geometric" else ("mmd",)
                learned |= {(dataset, name, *key): problem.estimate(name) for name in names}
    return learned


def find_components(points: Array, images: bool, number: int) -> Callable[[Array], Array]:
    """Images on the principal components of all that are public; other features as they are."""
    if not images:
        return lambda rows: rows
    _, axes = np.linalg.eigh(np.cov(points, rowvar=False))
    return lambda rows: np.asarray(rows @ axes[:, -number:].astype(rows.dtype))


def sort_reports(
    sets: Sequence[Sequence[Array]], reports: Array, epsilon: float, classes: int
) -> tuple[list[list[Array]], list[Array]]:
    """Points by their reported class, for training and validation, and what share of each is of which class."""
    veil = response(classes, epsilon)
    prior = np.maximum(project_to_simplex(veil.debias(reports, total=True) / len(reports)), EDGE)
    joint = veil.matrix * prior / prior.sum()
    points = [np.concatenate(part) for part in sets]
    told = np.split(reports, [len(points[0])])
    bags = [[part[own == k] for k in range(classes)] for part, own in zip(points, told, strict=True)]
    return bags, [joint / joint.sum(axis=1, keepdims=True)] * 2


class Problem:
    """Sets of known proportions to learn from, as many to tune by, and test sets; `matched`: what MMD makes of them."""

    def __init__(
        self,
        bags: Sequence[list[Array]],
        proportions: Sequence[Array],
        tests: list[Array],
        turn: Callable[[Array], Array],
        matched: Callable[[], Array] | None = None,
    ) -> None:
        (self.bags, self.held_out), (self.shares, self.truth), self.tests = bags, proportions, tests
        self.matched, self._turn = matched, turn

    def estimate(self, method: str) -> Array:
        """Ratios, (tests, classes)."""
        if not all(map(tell_apart, (self.shares, self.truth))):
            return np.full((len(self.tests), self.shares.shape[1]), 1 / self.shares.shape[1])
        return METHODS[method](self)

    @cached_property
    def seen(self) -> tuple[Array, Array, list[Array]]:
        """Posteriors of the validation points, W that makes classes' laws of sets' (W·P = 1), and of each test set."""
        model = SetIdEM(COSTS).fit(
            list(map(self._turn, self.bags)), self.shares, (list(map(self._turn, self.held_out)), self.truth)
        )

        def posteriors(points: Array) -> Array:
            return np.asarray(softmax(model.model_.log_shares(self._turn(points)) / model.temperature_, axis=1))

        sizes = np.array([len(bag) for bag in self.held_out], dtype=float)
        moments = self.truth.T @ (self.truth * sizes[:, None])
        unmixed = np.linalg.solve(moments, (self.truth * sizes[:, None]).T)
        weights = np.repeat(unmixed / sizes, sizes.astype(int), axis=1)
        return posteriors(np.concatenate(self.held_out)), weights, list(map(posteriors, self.tests))


def match_means(problem: Problem) -> Array:
    """The paper's kernel means, section 2, the bandwidth by the validation sets."""
    if problem.matched:
        return np.asarray(problem.matched()[0])
    with warnings.catch_warnings():  # a width at the grid's end is one that was chosen
        warnings.simplefilter("ignore", UserWarning)
        model = MMDClassRatio().fit(problem.bags, problem.shares, (problem.held_out, problem.truth))
    return np.asarray(model.predict(problem.tests))


def reestimate_prior(problem: Problem) -> Array:
    """EMQ: the prior of greatest likelihood (Saerens, Latinne and Decaestecker 2002)."""
    classes = problem.shares.shape[1]
    return np.stack([adjust_prior(test, np.full(classes, 1 / classes), 1e-7, 2000) for test in problem.seen[2]])


def unmix_posteriors(problem: Problem) -> Array:
    """PACC: mean posteriors, unmixed by those of each class (Bella et al. 2010)."""
    own, weights, tests = problem.seen
    return unmix(np.stack([test.mean(axis=0) for test in tests]), weights @ own)


def match_densities(problem: Problem) -> Array:
    """KDEy: the prior of greatest likelihood under kernel densities of the classes' posteriors."""
    own, weights, tests = problem.seen
    found = []
    for test in tests:
        laws = np.exp(-0.5 * (cdist(test, own) / WIDTH) ** 2) @ weights.T
        even = np.full(laws.shape[1], 1 / laws.shape[1])
        found.append(adjust_prior(np.maximum(laws, 1e-12) * even, even, 1e-7, 2000))
    return np.stack(found)


def match_histograms(problem: Problem) -> Array:
    """DyS: the mixture of the classes' histograms nearest in Topsøe's distance; of several classes, one a posterior."""
    own, weights, tests = problem.seen
    laws = np.maximum(np.stack([_histograms(own, row) for row in weights]), 0)
    return np.stack([_nearest(laws, _histograms(test, np.full(len(test), 1 / len(test)))) for test in tests])


def _histograms(posteriors: Array, weights: Array) -> Array:
    """The weighted histogram of each class's posterior, one after the other; of two classes, one says all."""
    columns = posteriors.T[1:] if posteriors.shape[1] == 2 else posteriors.T
    return np.concatenate([np.histogram(one, BINS, (0, 1), weights=weights)[0] for one in columns])


def _nearest(laws: Array, seen: Array) -> Array:
    """The ratios, of a softmax, whose mixture of laws is nearest; the distance is convex in the mixture."""

    def distance(free: Array) -> float:
        odds, tiny = np.exp(free - free.max()), 1e-12  # scipy's softmax takes longer than all the rest
        mixed = odds / odds.sum() @ laws
        both = mixed + seen + tiny
        return float((xlogy(mixed, 2 * (mixed + tiny) / both) + xlogy(seen, 2 * (seen + tiny) / both)).sum())

    return np.asarray(softmax(minimize(distance, np.zeros(len(laws)), method="L-BFGS-B").x))


METHODS: Mapping[str, Callable[[Problem], Array]] = {
    "mmd": match_means,
    "emq": reestimate_prior,
    "pacc": unmix_posteriors,
    "kdey": match_densities,
    "dys": match_histograms,
}
