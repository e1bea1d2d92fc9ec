"""Figure 6, the learner: regression weights from released bits alone, and a baseline that sees everything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np

from replication.arrays import Fields, Key, Named, under
from replication.papers.linear_moments.fig6.design import (
    CENTRED,
    Design,
    number_of_products,
    rows_used,
    unfold,
    variants,
)
from replication.papers.linear_moments.fig6.settings import Learn, Mechanism, Solver
from replication.randomness import Trial
from unveil.estimators.moments.regression import MomentRegression, entry_noise
from unveil.mechanisms.bits import keep_probability
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.mechanisms.products import ProductBits
from unveil.types import Array, Floats

#: Rows whose products are summed at a time in double precision.
CHUNK = 1 << 15
#: (E[xxᵀ], E[x·y], σ) from what was released of d features at a level, signed or not.
Reader: TypeAlias = Callable[[Named, int, float, bool], tuple[Floats, Floats, float]]


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Weights by data set and variant: at every level, and for growing shares of the records at one level."""
    if not released:
        return baselines(public, trial, settings)
    (files,) = released.values()
    learned: dict[Key, Array] = {}
    for dataset, protocol in settings.protocols.items():
        if (dataset, "dimension") not in files:
            continue
        growth = protocol.levels.index(protocol.growth_level)
        for variant, signed in CENTRED.items():
            d, read = int(files[dataset, "dimension"]), READERS[protocol.mechanism]
            weights = partial(_weights, read, d, signed, settings.solvers)
            parts = [under(files, dataset, variant, i) for i in range(len(protocol.levels))]
            levels = [weights(part, level) for part, level in zip(parts, protocol.levels, strict=True)]
            heads = [_head(parts[growth], share) for share in settings.shares]
            learned[dataset, variant, "levels"] = np.array(levels)
            learned[dataset, variant, "growth"] = np.array([weights(head, protocol.growth_level) for head in heads])
    return learned


def _head(part: Named, share: float) -> Named:
    return {name: array[: rows_used(len(array), share)] for name, array in part.items()}


def _weights(read: Reader, d: int, signed: bool, solvers: Sequence[Solver], part: Named, level: float) -> Floats:
    """One row of weights a solver."""
    second, cross, noise = read(part, d, level, signed)
    return np.array([MomentRegression(solver, noise).fit_moments(second, cross).coef_ for solver in solvers])


def read_per_value(part: Named, d: int, level: float, signed: bool) -> tuple[Floats, Floats, float]:
    """From all bits of every record."""
    delta_bar = number_of_products(d)
    mechanism = PerValueRelease(level * delta_bar, delta_bar)
    bits = np.unpackbits(part["bits"], axis=1, count=delta_bar).astype(bool)
    shares = mechanism.debias(bits, total=True) / len(bits)
    # A signed statistic s was released as the share (s + 1)/2.
    second, cross = unfold(2 * shares - 1 if signed else shares, d)
    return second, cross, entry_noise(len(bits), mechanism.keep, width=2 if signed else 1)


def read_coordinate(part: Named, d: int, level: float, signed: bool) -> tuple[Floats, Floats, float]:
    """From one product or three of every record."""
    released = ProductBits(part["first"], part["second"], part["bits"], d)
    moments = CoordinateRelease(level).debias_products(released, signed)
    # The scarcest statistics are the products of two different features.
    scarcest = len(released.first) / (d * (d - 1))
    noise = entry_noise(scarcest, keep_probability(level / 3), width=2 if signed else 1)
    return moments.second, moments.cross, noise


READERS: Mapping[Mechanism, Reader] = {"per_value": read_per_value, "coordinate": read_coordinate}


def baselines(peeked: Fields, trial: Trial, settings: Learn) -> Named:
    """Ordinary least squares on the training part, in the clear."""
    return {
        (dataset, variant, "clear"): _least_squares(design)
        for dataset, protocol in settings.protocols.items()
        for variant, design in variants(peeked[dataset], protocol.design, trial.public).items()
    }


def _least_squares(design: Design) -> Floats:
    """The exact moments, summed in double precision, then solved."""
    d = design.train.shape[1]
    second, cross = np.zeros((d, d)), np.zeros(d)
    for start in range(0, len(design.train), CHUNK):
        rows = design.train[start : start + CHUNK].astype(np.float64)
        second += rows.T @ rows
        cross += rows.T @ design.train_target[start : start + CHUNK]
    return MomentRegression().fit_moments(second, cross).coef_
