"""Section 6.1, the learner: spread likelihood with a Gaussian prior, and plain regression beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from replication.arrays import Fields, Key, Named
from replication.papers.spread.digits import Case, draw_digits, name_path, pick_level, scale_pixels
from replication.papers.spread.gaussian.paths import Kind, ascend
from replication.papers.spread.gaussian.settings import Learn
from replication.randomness import Trial
from unveil.estimators.spread.labels import WEIGHTS, SummedLabels
from unveil.estimators.spread.noise_parameters import label_matrix
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Weights of every method at every noise level; the arm that peeks trains on clean data instead."""
    learned: dict[Key, Array] = {}

    def run(
        images: Array, kinds: Mapping[Case, Kind], *level: float, stops: Sequence[int] = settings.iterations
    ) -> None:
        # Sampling z is exact for Gaussian noise: the gradient depends on the inputs through z = θᵀx alone.
        paths = ascend(images, tuple(kinds.values()), settings.rate, stops, trial.rng_of(*level))
        for j, case in enumerate(kinds):
            learned.update(name_path(case, (paths[:, j], np.zeros(len(paths)))))

    if "mnist" in public:
        clean = draw_digits(public, trial, settings)[0]
        run(scale_pixels(clean.images), {("clean",): plain(clean.labels)}, stops=settings.clean_iterations)
        return learned
    for i, variance in enumerate(settings.variances):
        sent = pick_level(released["noisy"], i)
        kinds: dict[Case, Kind] = {("noisy", i): plain(sent.labels)}
        for labels, samples in product(settings.labels, settings.samples):
            weights = WEIGHTS[labels](sent.labels.astype(np.intp), label_matrix(settings.label_flip))
            kinds["spread", i, labels, samples] = Kind(weights, samples, variance, settings.prior)
        run(sent.images.astype(np.float32), kinds, variance)
    return learned


def plain(labels: Array) -> Kind:
    """Logistic regression as if nothing were noisy."""
    return Kind(SummedLabels(labels.astype(np.intp), label_matrix(0.0)))
