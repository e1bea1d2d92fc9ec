"""The bias of few importance samples, the learner: the flat-prior estimator with ever more of them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from replication.arrays import Fields, Key, Named
from replication.papers.spread.digits import name_path, pick_level
from replication.papers.spread.samples.settings import Learn
from replication.papers.spread.settings import Ascent
from replication.papers.spread.training import follow
from replication.randomness import Trial
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Weights for each level of sampling, noise level, kind of labels and number of samples."""
    ascent = Ascent(rate=settings.rate, iterations=(settings.steps,))
    learned: dict[Key, Array] = {}
    for level, samples in settings.levels.items():
        for (i, p_flip), labels, count in product(enumerate(settings.p_flips), settings.labels, samples):
            noise = {"label_flip": p_flip, "input_noise": p_flip}
            options = {**noise, "samples": count, "labels": labels, "level": level}
            rng = trial.rng_of(level, p_flip, labels, count)
            path = follow(pick_level(released["noisy"], i), ascent, rng, **options)
            learned |= name_path((level, i, labels, count), path[:2])
    return learned
