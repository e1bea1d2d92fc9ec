"""The learner of all crossover figures: estimators of four papers on the same flipped labels, tuned on these alone.

With the features in the clear some of them meet: the spread likelihood is the marginal likelihood, whose labels
one sums over and the other samples; and the moment estimator of a linear-odd loss is the mean operator's. So
the moments appear as the regression of the moments paper (squares), the mean operator with the logistic loss.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.common.margin_losses import LOSSES
from replication.common.ridge_paths import fit_tuned
from replication.common.tasks import features, signs
from replication.papers.crossover.epsilon.release import flip_probability
from replication.papers.crossover.epsilon.settings import Learn
from replication.randomness import Trial
from unveil.estimators.statistics.risk import Design
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Of each data set, size and estimator: separators and λ by ε, and the seconds of the fits.

    An arm that peeks finds the true labels among its fields, and learns from them instead of any that were flipped.
    """
    learned: dict[Key, Array] = {}
    for dataset in settings.datasets:
        X, files = features(dataset, public), under(released["labels"], dataset)
        train = files["train"]
        # Where a data set has fewer records than a size asks for, all are used.
        sizes = sorted({min(n, len(train)) for n in settings.sizes})
        clear = "clean" in settings.classifiers
        if clear:
            reported = signs(dataset, public)[train][None]
        else:
            sent = np.stack([files["veiled", i] for i in range(len(settings.epsilons))])
            reported = 2 * sent.astype(np.int8) - 1
        epsilons = [np.inf] if clear else list(settings.epsilons)
        flips = np.array([flip_probability(epsilon) for epsilon in epsilons])
        for index, n in enumerate(sizes):
            design = Design(X[train[:n]])
            for name in settings.classifiers:
                start = perf_counter()
                fit = fit_tuned(design, reported[:, :n], flips, LOSSES[name](settings.samples), settings)
                learned["seconds", "classify", name, dataset, index] = np.array(perf_counter() - start)
                learned |= {(dataset, name, "theta", index): fit.theta, (dataset, name, "l2", index): fit.l2}
        shared = {"test": files["test"], "sizes": np.array(sizes), "epsilons": np.array(epsilons)}
        learned |= {(dataset, name): array for name, array in shared.items()}
    return learned
