"""The learner: mean map and its peers from bags and proportions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from replication.papers.mean_operator.tasks import PublicFeatures, is_test
from replication.randomness import Trial
from unveil.estimators.bags.mean_map import mean_map, soft_label_operator
from unveil.estimators.statistics.losses import linear_odd_loss
from unveil.estimators.statistics.risk import Design, minimise_statistic
from unveil.types import Arrays, Floats

PUBLIC = PublicFeatures()
METHODS = {"mean_map": mean_map, "soft_labels": soft_label_operator}


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    dataset: str,
    bag_counts: Sequence[int],
    alphas: Sequence[float],
    loss: str,
    l2: float,
    tolerance: float,
) -> Arrays:
    """θ by (α, exact first) for each bagging, number of bags and method, and from the mean operator itself."""
    (parts,) = released.values()
    features = PUBLIC.of(dataset, public, parts["everybody"])
    X = features[~is_test(dataset, public, parts["everybody"], trial)]
    design = Design(X)

    def fit(mu: Floats) -> Floats:
        return minimise_statistic(design, linear_odd_loss(loss), mu, l2, tolerance).theta

    thetas = {
        f"{method}/{bagging}/{count}": np.stack(
            [
                fit(estimate(X, parts[f"bags_{bagging}_{count}"], share))
                for share in parts[f"shares_{bagging}_{count}"]
            ]
        )
        for method, estimate in METHODS.items()
        for bagging in ("homogeneous", "sorted")
        for count in bag_counts
    }
    thetas["mean_operator/none/0"] = np.stack([fit(mu) for mu in (parts["exact"], *parts["laplace"])])
    about = {"everybody": parts["everybody"], "dataset": np.asarray(dataset), "alphas": np.asarray(alphas)}
    return {**thetas, **about}
