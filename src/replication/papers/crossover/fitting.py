"""The learner of both crossover figures: five estimators on the same flipped labels.

With the features in the clear some of them meet: the spread likelihood is the marginal likelihood, whose labels
one sums over and the other samples; and the moment estimator of a linear-odd loss is the mean operator's. So
the moments appear as the regression of the moments paper (squares), the mean operator with the logistic loss.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from time import perf_counter
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named, under
from replication.papers.crossover.settings import Ascent, Estimator, Learn
from replication.papers.crossover.veiling import flip_probability
from replication.papers.mean_operator.tasks import features
from replication.randomness import Trial
from unveil.errors import require
from unveil.estimators.bags.mixtures import class_ratios, l1_errors, mixture_weights
from unveil.estimators.bags.mmd_gram import mean_similarities, mmd_gram
from unveil.estimators.bags.unmixing import class_scores, unmix
from unveil.estimators.moments.regression import MomentRegression
from unveil.estimators.spread.logistic import SpreadLogisticRegression
from unveil.estimators.statistics.classifier import MeanOperatorClassifier
from unveil.mechanisms.flips import LabelFlips
from unveil.types import Array, Floats

#: The last records are held out: what a bandwidth is chosen by, and what a classifier says of each class.
HELD_OUT = 0.25
#: ASSUME: a set's estimated share of positives is kept this far from 0 and 1.
EDGE = 0.02


@dataclass(frozen=True)
class Seen:
    """What a learner has: features with flipped labels, the flip probability, and the test sets' features."""

    features: Floats
    labels: Array
    p_flip: float
    test: Floats
    tests: Sequence[Floats]

    def part(self, held_out: bool) -> tuple[Floats, Array]:
        """The records to learn from, or those held out."""
        cut = round((1 - HELD_OUT) * len(self.labels))
        chosen = slice(cut, None) if held_out else slice(cut)
        return self.features[chosen], self.labels[chosen]


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Of each data set and estimator: labels by (ε, n, test), ratios by (ε, n, set), and the seconds of each fit."""
    learned: dict[Key, Array] = {}
    for dataset in settings.datasets:
        X, files = features(dataset, public), under(released["labels"], dataset)
        train, test, tests = (files[name] for name in ("train", "test", "tests"))
        # Where a data set has fewer records than a size asks for, all are used.
        sizes = sorted({min(n, len(train)) for n in settings.sizes})
        learned |= {
            (dataset, "sizes"): np.array(sizes),
            (dataset, "test"): test,
            (dataset, "set_size"): np.array(tests.shape[1]),
        }
        tested = X[test], list(X[tests])
        veils = zip(files["veiled"], map(flip_probability, settings.epsilons), strict=True)
        cells = [Seen(X[train[:n]], veiled[:n], flip, *tested) for (veiled, flip), n in product(veils, sizes)]
        shape = len(settings.epsilons), len(sizes), -1
        for name in settings.estimators:
            fits = (_timed(ESTIMATORS[name], seen, settings, trial.rng) for seen in cells)
            labels, ratios, seconds = map(np.stack, zip(*fits, strict=True))
            learned |= {
                (dataset, name, "labels"): labels.reshape(shape),
                (dataset, name, "ratios"): ratios.reshape(shape),
                ("seconds", name, dataset): seconds,
            }
    return learned


def _timed(estimate: Estimate, seen: Seen, ascent: Ascent, rng: Generator) -> tuple[Array, Floats, float]:
    start = perf_counter()
    return (*estimate(seen, ascent, rng), perf_counter() - start)


def _linear(seen: Seen, theta: Floats) -> tuple[Array, Floats]:
    """Labels by the side of the separator; ratios by undoing the mixing of mean margins that held-out records show."""
    features, labels = seen.part(held_out=True)
    margins = features @ theta
    per_class = class_scores([[margins[labels == bag].mean()] for bag in (0, 1)], bag_shares(labels, seen.p_flip))
    ratios = unmix([[np.mean(points @ theta)] for points in seen.tests], per_class)
    return (seen.test @ theta > 0).astype(np.uint8), ratios[:, 1]


def bag_shares(labels: Array, p_flip: float) -> Floats:
    """The class proportions among records reported as 0 and as 1, (2, 2): Bayes' rule with the corrected share."""
    require(0 < labels.mean() < 1, "all labels were reported alike: there is nothing to learn from")
    share = float(np.clip(LabelFlips(p_flip).debias(labels).mean(), EDGE, 1 - EDGE))
    joint = LabelFlips(p_flip).matrix * np.array([1 - share, share])
    proportions: Floats = joint / joint.sum(axis=1, keepdims=True)
    return proportions


def _ascended(seen: Seen, ascent: Ascent, rng: Generator, labels: str, samples: int) -> tuple[Array, Floats]:
    features, reported = seen.part(held_out=False)
    # Its ridge is l2/2·‖θ‖²; inputs without noise are their own samples.
    model = SpreadLogisticRegression(
        seen.p_flip,
        0.0,
        noise="gaussian",
        samples=samples,
        labels=labels,
        level="z",
        rate=ascent.rate,
        iterations=ascent.iterations,
        l2=2 * ascent.l2,
        random_state=rng,
    ).fit(features, reported)
    return _linear(seen, model.coef_[0])


def marginal(seen: Seen, ascent: Ascent, rng: Generator) -> tuple[Array, Floats]:
    """Marginal likelihood of the reported labels, the true ones summed over."""
    return _ascended(seen, ascent, rng, "summed", 1)


def spread(seen: Seen, ascent: Ascent, rng: Generator) -> tuple[Array, Floats]:
    """Spread likelihood, the true labels sampled."""
    return _ascended(seen, ascent, rng, "sampled", ascent.samples)


def _operator(features: Floats, reported: Array, p_flip: float) -> Floats:
    """An unbiased estimate of the mean of y·x, y = ±1."""
    signs = 2 * LabelFlips(p_flip).debias(reported) - 1
    mu: Floats = signs @ features / len(features)
    return mu


def moment(seen: Seen, ascent: Ascent, rng: Generator) -> tuple[Array, Floats]:
    """Least squares from the public second moments and the debiased products with the label."""
    features, reported = seen.part(held_out=False)
    second = features.T @ features / len(features)
    # The solver lifts the spectrum by noise·√d: so it adds the ridge that the others have.
    solver = MomentRegression("ridge", ascent.l2 / np.sqrt(len(second)))
    return _linear(seen, solver.fit_moments(second, _operator(features, reported, seen.p_flip)).coef_)


def mean_operator(seen: Seen, ascent: Ascent, rng: Generator) -> tuple[Array, Floats]:
    """Logistic loss from the debiased mean operator and the features."""
    features, reported = seen.part(held_out=False)
    model = MeanOperatorClassifier("logistic", l2=ascent.l2, tol=1e-6)
    return _linear(seen, model.fit_statistic(features, _operator(features, reported, seen.p_flip)).coef_[0])


def mmd(seen: Seen, ascent: Ascent, rng: Generator) -> tuple[Array, Floats]:
    """Kernel means of the records reported as 0 and as 1, two sets whose class proportions are estimated.

    ASSUME: a single point is classified as a set of one.
    """
    (features, reported), (others, told) = seen.part(held_out=False), seen.part(held_out=True)
    bags = [features[reported == bag] for bag in (0, 1)]
    shares, held_out = bag_shares(reported, seen.p_flip), bag_shares(told, seen.p_flip)
    queries = [*(others[told == bag] for bag in (0, 1)), *seen.tests]
    gram, cross = mmd_gram(bags, queries=queries)
    weights = mixture_weights(gram, cross)
    chosen = int(np.argmin(l1_errors(weights[:, :2], shares, held_out)))
    points = mixture_weights(gram, mean_similarities(bags, seen.test))[chosen]
    # The projection onto the simplex keeps the order of two classes.
    return (points @ shares).argmax(axis=1).astype(np.uint8), class_ratios(weights[chosen, 2:], shares)[:, 1]


#: Labels of the test records and the share of positives in each test set.
Estimate: TypeAlias = Callable[[Seen, Ascent, Generator], tuple[Array, Floats]]

ESTIMATORS: Mapping[Estimator, Estimate] = {
    "marginal": marginal,
    "moment": moment,
    "mean_operator": mean_operator,
    "spread": spread,
    "mmd": mmd,
}
