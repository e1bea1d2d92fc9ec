# ruff: noqa: E501 - a table reads best with one line a call
"""A good call of every mechanism and of functions around them: the fuzzer spoils its arguments one or two at a time."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.random import default_rng
from tests.fuzz.harness import Call, Good

import unveil

_RNG = default_rng(0)
POINTS = _RNG.random((12, 3))
SHARES = POINTS / 3
SIGNS = np.where(POINTS[:, 0] > 0.5, 1, -1)
STATES = np.arange(12) % 3
BITS = np.arange(12) % 2
COUNTS = np.array([40, 60])


def released(kind: Any, *data: str, undo: bool = True) -> Call:
    """Make the mechanism, release the data, and undo the release on average where that can be done."""

    def call(**given: Any) -> Any:
        arguments = [given.pop(name) for name in data]
        mechanism = kind(**given)
        out = mechanism.release(*arguments, default_rng(1))
        undone = mechanism.debias(out) if undo and hasattr(mechanism, "debias") else None
        return out, undone

    return call


def published(kind: Any, *data: str) -> Call:
    """Make the mechanism, publish the data, and write the release to a file and read it again."""

    def call(**given: Any) -> Any:
        arguments = tuple(given.pop(name) for name in data)
        release = kind(**given).publish(arguments if len(arguments) > 1 else arguments[0], default_rng(1))
        with TemporaryDirectory() as folder:
            release.save(Path(folder, "release"))
            return list(unveil.Release.load(Path(folder, "release")).arrays.values())

    return call


def _audit(**given: Any) -> Any:
    def release(value: float, n: int, rng: Any) -> Any:
        return value + rng.standard_normal(n)

    audit = unveil.audit_release(release, 0.0, 1.0, rng=default_rng(1), **given)
    return audit, audit.epsilon_low


_DEMAND = {"epsilon": 0.5, "delta": 0.05}
GOOD = [
    Good("CoordinateRelease", released(unveil.CoordinateRelease, "stats"), {"alpha": 1.0, "upper": 1.0, "stats": POINTS}),
    Good("PerValueRelease", released(unveil.PerValueRelease, "stats"), {"alpha": 1.0, "delta_bar": 3.0, "upper": 1.0, "stats": POINTS}),
    Good("RandomizedResponse", released(unveil.RandomizedResponse, "stats"), {"m": 3, "epsilon": 0.5, "base": None, "stats": STATES}),
    Good("RegionCounts", released(unveil.RegionCounts, "text", "sentences"), {"window": 2, "tags": None, "text": STATES, "sentences": np.array([0, 5, 12])}),
    Good("NoisyRecords", released(unveil.NoisyRecords, "X", "y"), {"testing": True, "label_flip": 0.2, "input_noise": 0.1, "noise": "flips", "states": 4, "X": np.tile(STATES, (2, 1)).T, "y": BITS}),
    Good("LabelFlips", released(unveil.LabelFlips, "labels"), {"zero_to_one": 0.2, "one_to_zero": 0.1, "labels": BITS}),
    Good("PixelFlips", released(unveil.PixelFlips, "pixels"), {"flip": 0.2, "states": 4, "pixels": STATES}),
    Good("GaussianInputNoise", released(unveil.GaussianInputNoise, "inputs"), {"variance": 1.0, "inputs": POINTS}),
    Good("SampledCoordinates", released(unveil.SampledCoordinates, "stats"), {"epsilon": 1.0, "kind": "hybrid", "stats": SHARES}),
    Good("SphereRelease", released(unveil.SphereRelease, "stats"), {"epsilon": 1.0, "radius": 2.0, "threshold": 0.1, "stats": SHARES}),
    Good("LabelResponse", released(unveil.LabelResponse, "y"), {"epsilon": 1.0, "y": SIGNS}),
    Good("MeanOperatorRelease", released(unveil.MeanOperatorRelease, "X", "y"), {"alpha": 1.0, "noise": "laplace", "bound": 1.0, "l1_bound": 2.0, "X": SHARES, "y": SIGNS}),
    Good("GeometricMeanOperator", released(unveil.GeometricMeanOperator, "X", "y"), {"testing": True, "epsilon": 1.0, "steps": 100, "X": POINTS, "y": SIGNS}),
    Good("GeometricMeanOperator.publish", published(unveil.GeometricMeanOperator, "X", "y"), {"testing": True, "epsilon": 1.0, "steps": 100, "X": POINTS, "y": SIGNS}),
    Good("MeanOperatorRelease.publish", published(unveil.MeanOperatorRelease, "X", "y"), {"alpha": 1.0, "noise": "gamma", "bound": 1.0, "l1_bound": 2.0, "X": SHARES, "y": SIGNS}),
    Good("NoisyRecords.publish", published(unveil.NoisyRecords, "X", "y"), {"testing": True, "label_flip": 0.2, "input_noise": 0.1, "noise": "flips", "states": 4, "X": np.tile(STATES, (2, 1)).T, "y": BITS}),
    Good("GeometricCounts.publish", published(unveil.GeometricCounts, "counts"), {"testing": True, "epsilon": 0.5, "counts": np.tile(COUNTS, (3, 1))}),
    Good("ScaledDirichlet.publish", published(unveil.ScaledDirichlet, "counts"), {**_DEMAND, "rule": "tight", "minimum_count": 30, "counts": np.tile(COUNTS, (3, 1))}),
    Good("ExactMoments", published(unveil.ExactMoments, "X", "y"), {"testing": True, "epsilon": 1.0, "delta": 1e-6, "steps": 100, "X": POINTS, "y": POINTS[:, 0]}),
    Good("ExactProducts", released(unveil.ExactProducts, "X", "y"), {"testing": True, "epsilon": 1.0, "X": POINTS, "y": POINTS[:, 0]}),
    Good("GeometricMeans", released(unveil.GeometricMeans, "values"), {"testing": True, "epsilon": 1.0, "lower": 0.0, "upper": 1.0, "steps": 100, "values": POINTS}),
    Good("GeometricCounts", released(unveil.GeometricCounts, "counts"), {"testing": True, "epsilon": 0.5, "counts": COUNTS}),
    Good("ExactResponse", released(unveil.ExactResponse, "stats"), {"testing": True, "epsilon": 0.5, "states": 3, "stats": STATES}),
    Good("LaplaceCounts", released(unveil.LaplaceCounts, "counts"), {"epsilon": 0.5, "counts": COUNTS}),
    Good("LaplacePrior", released(unveil.LaplacePrior, "counts"), {**_DEMAND, "counts": COUNTS}),
    Good("GaussianCounts", released(unveil.GaussianCounts, "counts"), {**_DEMAND, "testing": True, "kind": "analytic", "exact": False, "counts": COUNTS}),
    Good("ScaledDirichlet", released(unveil.ScaledDirichlet, "counts"), {**_DEMAND, "rule": "paper", "minimum_count": 30, "counts": COUNTS}),
    Good("DirichletOrLaplacePrior", released(unveil.DirichletOrLaplacePrior, "counts"), {**_DEMAND, "rule": "tight", "counts": COUNTS}),
    Good("SubsampleCounts", released(unveil.SubsampleCounts, "counts"), {"delta": 0.1, "counts": COUNTS}),
    Good("mean_operator", unveil.mean_operator, {"X": POINTS, "y": SIGNS}),
    Good("audit_release", _audit, {"n": 200, "delta": 0.0, "confidence": 0.9}),
    Good("mean_map", unveil.mean_map, {"X": POINTS, "bags": STATES, "proportions": np.array([0.1, 0.5, 0.8])}),
    Good("reconstruct_labels", unveil.reconstruct_labels, {"X": POINTS, "mu": unveil.mean_operator(POINTS, SIGNS), "noise_deviation": 0.0}),
]  # fmt: skip
