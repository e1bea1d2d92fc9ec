"""The learner: mean map and its peers from bags and proportions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.common.tasks import training
from replication.papers.mean_operator.proportions.settings import Learn
from replication.randomness import Trial
from unveil.estimators.bags.mean_map import bag_means, mean_map_of, soft_label_operator_of
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.estimators.statistics.risk import Design
from unveil.estimators.statistics.tuning import minimise_together
from unveil.types import Array

#: From the means and sizes of bags, and their proportions.
METHODS = {"mean_map": mean_map_of, "soft_labels": soft_label_operator_of}


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """θ by (α, exact first) for each method, bagging and number of bags, and from the mean operator itself."""
    (parts,) = released.values()
    X, _ = training(settings.dataset, public, trial)
    kinds = {
        kind: np.concatenate([parts["exact", "shares", *kind], shares])
        for kind, shares in under(parts, "shares").items()
    }
    bags = {kind: bag_means(X, parts["bags", *kind], shares.shape[1]) for kind, shares in kinds.items()}
    estimated: dict[Key, Array] = {
        ("theta", method, *kind): np.stack([estimate(*bags[kind], share) for share in shares])
        for method, estimate in METHODS.items()
        for kind, shares in kinds.items()
    }
    estimated["theta", "mean_operator", "none", 0] = np.concatenate([parts["exact", "operators"], parts["operators"]])
    # All statistics are learnt from together: they share their products with the features.
    statistics = np.concatenate(list(estimated.values()))
    ridges = np.full(len(statistics), float(settings.l2))
    loss = linear_odd_loss(settings.loss)
    found = minimise_together(Design(X), loss, statistics, ridges, tolerance=settings.tolerance)
    ends = np.cumsum([len(array) for array in estimated.values()])[:-1]
    thetas = dict(zip(estimated, np.split(found, ends), strict=True))
    return {**thetas, "dataset": np.asarray(settings.dataset), "alphas": np.asarray(settings.alphas)}
