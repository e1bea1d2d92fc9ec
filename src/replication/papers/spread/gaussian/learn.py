"""Section 6.1, the learner: spread likelihood with a Gaussian prior, and plain regression beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from replication.arrays import Fields, Key, Named
from replication.papers.spread.digits import Case, Part, drawn, named, received, scaled
from replication.papers.spread.gaussian.settings import Learn
from replication.papers.spread.training import PLAIN, trained
from replication.randomness import Trial
from unveil.types import Array


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Weights of every method at every noise level; the arm that peeks trains on clean data instead."""
    learned: dict[Key, Array] = {}

    def run(case: Case, seen: Part, **options: Any) -> None:
        # Sampling z is exact for Gaussian noise: the gradient depends on the inputs through z = θᵀx alone.
        path = trained(seen, settings, trial.rng, noise="gaussian", **{"level": "z", **options})
        learned.update(named(case, path))

    if "mnist" in public:
        clean = drawn(public, trial, settings)[0]
        run(("clean",), replace(clean, images=scaled(clean.images)), **PLAIN)
        return learned
    for i, variance in enumerate(settings.variances):
        sent = received(released["noisy"], i)
        seen = replace(sent, images=sent.images.astype(np.float32))
        run(("noisy", i), seen, **PLAIN)
        veil = {"label_flip": settings.label_flip, "input_noise": variance, "prior": settings.prior}
        for labels, samples in product(settings.labels, settings.samples):
            run(("spread", i, labels, samples), seen, labels=labels, samples=samples, **veil)
    return learned
