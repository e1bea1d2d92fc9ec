"""The bias of few importance samples, the learner: the flat-prior estimator with ever more of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from replication.arrays import Fields, Key, Named
from replication.papers.spread.digits import named, received
from replication.papers.spread.samples.settings import Learn
from replication.papers.spread.settings import Ascent
from replication.papers.spread.training import trained
from replication.randomness import Trial
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Weights for each level of sampling, noise level, kind of labels and number of samples."""
    ascent = Ascent(rate=settings.rate, iterations=(settings.steps,))
    learned: dict[Key, Array] = {}
    for level, samples in settings.levels.items():
        for (i, p_flip), labels, count in product(enumerate(settings.p_flips), settings.labels, samples):
            path = trained(
                received(released["noisy"], i),
                ascent,
                trial.rng,
                label_flip=p_flip,
                input_noise=p_flip,
                samples=count,
                labels=labels,
                level=level,
            )
            learned |= named((level, i, labels, count), path)
    return learned
