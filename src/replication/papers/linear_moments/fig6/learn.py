"""Figure 6, the learner: regression weights from released bits alone, and a baseline that sees everything."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replication.arrays import Fields, Key, Named
from replication.papers.linear_moments.fig6.design import CENTRED, SOURCES, Parts, variants
from replication.papers.linear_moments.fig6.settings import Learn
from replication.randomness import Trial
from unveil.estimators.moments.product_releases import entry_deviation, estimate_products
from unveil.estimators.moments.regression import MomentRegression
from unveil.protocols.base import Release
from unveil.types import Array, Floats

#: Rows whose products are summed at a time in double precision.
CHUNK = 1 << 15


def learn(released: Mapping[str, Mapping[Key, Release]], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Weights by data set and variant: at every level, and for growing shares of the records at one level."""
    if not released:
        return baselines(public, trial, settings)
    (files,) = released.values()
    learned: dict[Key, Array] = {}
    for dataset, protocol in settings.protocols.items():
        for variant in CENTRED:
            for panel, number in (("levels", len(protocol.levels)), ("growth", len(settings.shares))):
                names: list[Key] = [(dataset, variant, panel, i) for i in range(number)]
                if names[0] in files:
                    weights = [_estimate_weights(files[name], settings) for name in names]
                    learned[dataset, variant, panel] = np.array(weights)
    return learned


def _estimate_weights(release: Release, settings: Learn) -> Floats:
    """One row of weights a solver."""
    moments = estimate_products(release).moments(int(release.parameters["dimension"]))
    # What `fit(release)` does, without the precision of the weights.
    noise = entry_deviation(release)
    return np.array([MomentRegression(solver, noise).fit_moments(*moments).coef_ for solver in settings.solvers])


def baselines(peeked: Fields, trial: Trial, settings: Learn) -> Named:
    """Ordinary least squares on the training part, in the clear."""
    return {
        (dataset, variant, "clear"): _least_squares(design)
        for dataset, protocol in settings.protocols.items()
        if SOURCES.get(dataset, dataset) in peeked
        for variant, design in variants(peeked, dataset, protocol, trial.public)
    }


def _least_squares(design: Parts) -> Floats:
    """The exact moments, summed in double precision, then solved."""
    d = design.train.shape[1]
    second, cross = np.zeros((d, d)), np.zeros(d)
    for start in range(0, len(design.train), CHUNK):
        rows = design.train[start : start + CHUNK].astype(np.float64)
        second += rows.T @ rows
        cross += rows.T @ design.train_target[start : start + CHUNK]
    return MomentRegression(noise=0.0).fit_moments(second, cross).coef_
