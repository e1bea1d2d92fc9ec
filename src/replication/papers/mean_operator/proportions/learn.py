"""The learner: mean map and its peers from bags and proportions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.mean_operator.proportions.settings import Learn
from replication.papers.mean_operator.tasks import training
from replication.randomness import Trial
from unveil.estimators.bags.mean_map import mean_map, soft_label_operator
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.estimators.statistics.risk import Design, minimise_statistic
from unveil.types import Array, Floats

METHODS = {"mean_map": mean_map, "soft_labels": soft_label_operator}


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """θ by (α, exact first) for each method, bagging and number of bags, and from the mean operator itself."""
    (parts,) = released.values()
    X, _ = training(settings.dataset, public, trial)
    design, loss = Design(X), linear_odd_loss(settings.loss)

    def fit(mu: Floats) -> Floats:
        return minimise_statistic(design, loss, mu, settings.l2, settings.tolerance).theta

    thetas: dict[Key, Array] = {
        ("theta", method, *kind): np.stack([fit(estimate(X, parts["bags", *kind], share)) for share in shares])
        for method, estimate in METHODS.items()
        for kind, shares in under(parts, "shares").items()
    }
    thetas["theta", "mean_operator", "none", 0] = np.stack([fit(mu) for mu in parts["operators"]])
    return {**thetas, "dataset": np.asarray(settings.dataset), "alphas": np.asarray(settings.alphas)}
