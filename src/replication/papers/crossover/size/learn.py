"""The crossover against n, the learner: five estimators on the same flipped labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replication.papers.crossover.fitting import Ascent, learn_all
from replication.papers.mean_operator.tasks import PublicFeatures
from replication.randomness import Trial
from unveil.types import Arrays

PUBLIC = PublicFeatures()


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    datasets: Sequence[str],
    epsilons: Sequence[float],
    sizes: Sequence[int],
    estimators: Sequence[str],
    rate: float,
    iterations: int,
    samples: int,
    l2: float,
) -> Arrays:
    """Labels and class ratios, as each estimator sees them."""
    ascent = Ascent(rate, iterations, samples, l2)
    return learn_all(released, public, trial, PUBLIC, epsilons, sizes, datasets, estimators, ascent)
