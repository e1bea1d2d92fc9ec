"""The learner of all crossover figures: estimators of four papers on the same flipped labels, tuned on these alone.

With the features in the clear some of them meet: the spread likelihood is the marginal likelihood, whose labels
one sums over and the other samples; and the moment estimator of a linear-odd loss is the mean operator's. So
the moments appear as the regression of the moments paper (squares), the mean operator with the logistic loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from time import perf_counter
from typing import TypeAlias

import numpy as np
from scipy.special import expit

from replication.arrays import Fields, Key, Named, under
from replication.common.margin_losses import LOSSES
from replication.common.ridge_paths import Fit, fit_tuned
from replication.common.tasks import features, signs
from replication.papers.crossover.epsilon.release import flip_probability
from replication.papers.crossover.epsilon.settings import Learn
from replication.randomness import Trial
from unveil.errors import require
from unveil.estimators.bags.mixtures import class_ratios, l1_errors, mixture_weights
from unveil.estimators.bags.mmd_gram import mmd_gram
from unveil.estimators.bags.unmixing import class_scores, unmix
from unveil.estimators.statistics.risk import Design
from unveil.mechanisms.flips import LabelFlips
from unveil.types import Array, Floats

#: The last records are held out: what a bandwidth is chosen by, and what a classifier says of each class.
HELD_OUT = 0.25
#: ASSUME: a set's estimated share of positives is kept this far from 0 and 1.
EDGE = 0.02
#: Fewer records, of which a quarter tells what a classifier says of each class, may all be reported alike.
FEWEST = 200


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Of each data set, size and estimator: separators and λ by ε, ratios by (ε, set), and the seconds of the fits.

    An arm that peeks finds the true labels among its fields, and learns from them instead of any that were flipped.
    """
    learned: dict[Key, Array] = {}
    for dataset in settings.datasets:
        X, files = features(dataset, public), under(released["labels"], dataset)
        train, tests = files["train"], files["tests"]
        # Where a data set has fewer records than a size asks for, all are used.
        sizes = sorted({min(n, len(train)) for n in settings.sizes})
        clear = "clean" in (*settings.classifiers, *settings.quantifiers)
        if clear:
            reported = signs(dataset, public)[train][None]
        else:
            sent = np.stack([files["veiled", i] for i in range(len(settings.epsilons))])
            reported = 2 * sent.astype(np.int8) - 1
        epsilons = [np.inf] if clear else list(settings.epsilons)
        flips = np.array([flip_probability(epsilon) for epsilon in epsilons])
        shared = {"test": files["test"], "set_size": np.array(tests.shape[1])}
        learned |= {(dataset, name): array for name, array in shared.items()}
        for index, n in enumerate(sizes):
            here = X[train[:n]], reported[:, :n], flips
            for key, array in _fits(here, [X[rows] for rows in tests], settings):
                task, name, what = key
                place = ("seconds", task, name, dataset, index) if what == "seconds" else (dataset, *key, index)
                learned[place] = array
        learned |= {(dataset, "sizes"): np.array(sizes), (dataset, "epsilons"): np.array(epsilons)}
    return learned


Here: TypeAlias = tuple[Floats, Array, Floats]


def _fits(here: Here, tests: list[Floats], settings: Learn) -> Iterator[tuple[tuple[str, str, str], Array]]:
    """Everything learnt from one size."""
    design = Design(here[0])
    for name in settings.classifiers:
        start = perf_counter()
        fit = fit_tuned(design, *here[1:], LOSSES[name](settings.samples), settings)
        seconds = perf_counter() - start
        yield ("classify", name, "theta"), fit.theta
        yield ("classify", name, "l2"), fit.l2
        yield ("classify", name, "seconds"), np.array(seconds)
    halves = Halves(here, settings)
    for quantifier in settings.quantifiers if len(here[0]) >= FEWEST else ():
        start, before = perf_counter(), halves.saved
        ratios, l2 = QUANTIFIERS[quantifier](halves, tests)
        seconds = perf_counter() - start + halves.saved - before
        yield ("ratio", quantifier, "ratios"), ratios
        yield ("ratio", quantifier, "l2"), l2
        yield ("ratio", quantifier, "seconds"), np.array(seconds)


class Halves:
    """The records to learn from, those held out, and what tells reports apart, which several quantifiers ask for."""

    def __init__(self, here: Here, settings: Learn) -> None:
        X, reported, flips = here
        cut = round((1 - HELD_OUT) * len(X))
        self.learning: Here = X[:cut], reported[:, :cut], flips
        self.others: Here = X[cut:], reported[:, cut:], flips
        self._settings, self._seconds = settings, 0.0
        #: What those who asked again would have spent.
        self.saved = 0.0

    @cached_property
    def _fit(self) -> Fit:
        start, (X, reported, flips) = perf_counter(), self.learning
        fit = fit_tuned(Design(X), reported, flips, LOSSES["naive"](1), self._settings)
        self._seconds = perf_counter() - start
        return fit

    def separators(self) -> Fit:
        """A classifier of what was reported, for every ε."""
        self.saved += self._seconds
        return self._fit


def bag_shares(reported: Array, p_flip: float) -> Floats:
    """The class proportions among records reported as −1 and as 1, (2, 2): Bayes' rule with the corrected share."""
    labels = (reported > 0).astype(np.uint8)
    require(0 < labels.mean() < 1, "all labels were reported alike: there is nothing to learn from")
    share = float(np.clip(LabelFlips(p_flip).debias(labels).mean(), EDGE, 1 - EDGE))
    joint = LabelFlips(p_flip).matrix * np.array([1 - share, share])
    proportions: Floats = joint / joint.sum(axis=1, keepdims=True)
    return proportions


def set_id_logistic(halves: Halves, tests: list[Floats], *, veiled: bool = True) -> tuple[Floats, Floats]:
    """A classifier of what was reported; its mean prediction in a set, unmixed by what held-out reports show.

    Unless `veiled`, reports are taken for the truth.
    """
    (others, told, flips), fit = halves.others, halves.separators()
    ratios = np.empty((len(flips), len(tests)))
    for i, theta in enumerate(fit.theta):
        scores = expit(others @ theta)
        shares = bag_shares(told[i], flips[i] if veiled else 0.0)
        per_class = class_scores([[scores[told[i] == sign].mean()] for sign in (-1, 1)], shares)
        ratios[i] = unmix([[expit(points @ theta).mean()] for points in tests], per_class)[:, 1]
    return ratios, fit.l2


def take_for_truth(halves: Halves, tests: list[Floats]) -> tuple[Floats, Floats]:
    """The same, as if nothing were flipped."""
    return set_id_logistic(halves, tests, veiled=False)


def mmd(halves: Halves, tests: list[Floats]) -> tuple[Floats, Floats]:
    """Kernel means of the records reported as −1 and as 1, two sets whose class proportions are estimated."""
    (X, reported, flips), (others, told, _) = halves.learning, halves.others
    ratios = np.empty((len(flips), len(tests)))
    for i, flip in enumerate(flips):
        bags = [X[reported[i] == sign] for sign in (-1, 1)]
        shares, held_out = bag_shares(reported[i], flip), bag_shares(told[i], flip)
        queries = [*(others[told[i] == sign] for sign in (-1, 1)), *tests]
        gram, cross = mmd_gram(bags, queries=queries)
        weights = mixture_weights(gram, cross)
        chosen = int(np.argmin(l1_errors(weights[:, :2], shares, held_out)))
        ratios[i] = class_ratios(weights[chosen, 2:], shares)[:, 1]
    return ratios, np.full(len(flips), np.nan)


#: The share of positives in each test set by (ε, set), and λ where there is one.
Quantify: TypeAlias = Callable[[Halves, list[Floats]], tuple[Floats, Floats]]

QUANTIFIERS: Mapping[str, Quantify] = {
    "mmd": mmd,
    "set_id_logistic": set_id_logistic,
    "naive": take_for_truth,
    "clean": take_for_truth,
}
