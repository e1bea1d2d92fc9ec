"""Figure 6, the learner: regression weights from released bits alone, and a baseline that sees everything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from replication.papers.linear_moments.fig6.design import (
    Design,
    key,
    number_of_products,
    rows_used,
    scaled_design,
    unfold,
    variants,
)
from replication.randomness import Trial
from unveil.estimators.moments.regression import MomentRegression, entry_noise
from unveil.mechanisms.bits import keep_probability
from unveil.mechanisms.coordinate import CoordinateRelease
from unveil.mechanisms.per_value import PerValueRelease
from unveil.mechanisms.products import ProductBits
from unveil.types import Array, Arrays, Floats

#: Rows whose products are summed at a time in double precision.
CHUNK = 1 << 15


def learn(
    released: Mapping[str, Arrays],
    public: Mapping[str, Arrays],
    trial: Trial,
    *,
    datasets: Sequence[str],
    protocols: Mapping[str, Any],
    solvers: Sequence[str],
    shares: Sequence[float],
) -> Arrays:
    """Weights by data set and variant: at every level, and for growing shares of the records at one level."""
    if not released:
        return _baselines(public, trial, {name: protocols[name]["every"] for name in datasets})
    (files,) = released.values()
    learned: dict[str, Array] = {}
    for dataset in datasets:
        protocol, d = protocols[dataset], int(files[f"{dataset}.dimension"])
        growth = list(protocol["levels"]).index(protocol["growth_level"])
        for is_centred in (False, True):
            parts = [
                {name: files[f"{key(dataset, is_centred, i)}.{name}"] for name in _names(protocol)}
                for i in range(len(protocol["levels"]))
            ]
            levels = [
                _weights(part, d, protocol, level, is_centred, solvers)
                for part, level in zip(parts, protocol["levels"], strict=True)
            ]
            heads = [_head(parts[growth], share) for share in shares]
            growing = [
                _weights(head, d, protocol, protocol["growth_level"], is_centred, solvers) for head in heads
            ]
            learned[f"{dataset}.{is_centred}.levels"] = np.array(levels)
            learned[f"{dataset}.{is_centred}.growth"] = np.array(growing)
    return learned


def _names(protocol: Mapping[str, Any]) -> tuple[str, ...]:
    return ("bits",) if protocol["mechanism"] == "per_value" else ("first", "second", "bits")


def _head(part: Arrays, share: float) -> Arrays:
    return {name: array[: rows_used(len(array), share)] for name, array in part.items()}


def _weights(
    part: Arrays, d: int, protocol: Mapping[str, Any], level: float, signed: bool, solvers: Sequence[str]
) -> Floats:
    """One row of weights a solver."""
    read = _read_per_value if protocol["mechanism"] == "per_value" else _read_coordinate
    second, cross, noise = read(part, d, protocol, level, signed)
    return np.array([MomentRegression(solver, noise).fit_moments(second, cross).coef_ for solver in solvers])


def _read_per_value(
    part: Arrays, d: int, protocol: Mapping[str, Any], level: float, signed: bool
) -> tuple[Floats, Floats, float]:
    """(E[xxᵀ], E[x·y], σ) from all bits of every record."""
    delta_bar = number_of_products(d)
    mechanism = PerValueRelease(level * delta_bar, delta_bar)
    bits = np.unpackbits(part["bits"], axis=1, count=delta_bar).astype(bool)
    shares = mechanism.debias(bits, total=True) / len(bits)
    # A signed statistic s was released as the share (s + 1)/2.
    second, cross = unfold(2 * shares - 1 if signed else shares, d)
    return second, cross, entry_noise(len(bits), mechanism.keep, width=2 if signed else 1)


def _read_coordinate(
    part: Arrays, d: int, protocol: Mapping[str, Any], level: float, signed: bool
) -> tuple[Floats, Floats, float]:
    """(E[xxᵀ], E[x·y], σ) from one product or three of every record."""
    released = ProductBits(part["first"], part["second"], part["bits"], d)
    moments = CoordinateRelease(level).debias_products(released, signed)
    # The scarcest statistics are the products of two different features.
    scarcest = len(released.first) / (d * (d - 1))
    noise = entry_noise(scarcest, keep_probability(level / 3), width=2 if signed else 1)
    return moments.second, moments.cross, noise


def _baselines(peeked: Mapping[str, Arrays], trial: Trial, thinning: Mapping[str, int]) -> Arrays:
    """Ordinary least squares on the training part, in the clear."""
    learned = {}
    for dataset, every in thinning.items():
        design = scaled_design(dataset, peeked[dataset], trial.public, every)
        for is_centred, variant in variants(design).items():
            learned[f"{dataset}.{is_centred}.clear"] = _least_squares(variant)
    return learned


def _least_squares(design: Design) -> Floats:
    """The exact moments, summed in double precision, then solved."""
    d = design.train.shape[1]
    second, cross = np.zeros((d, d)), np.zeros(d)
    for start in range(0, len(design.train), CHUNK):
        rows = design.train[start : start + CHUNK].astype(np.float64)
        second += rows.T @ rows
        cross += rows.T @ design.train_target[start : start + CHUNK]
    return MomentRegression().fit_moments(second, cross).coef_
