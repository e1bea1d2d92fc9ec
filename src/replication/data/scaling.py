"""Scaling that owner, learner and referee agree on: by public ranges, drawn by no one."""

from __future__ import annotations

import numpy as np

from unveil.types import Array

#: Numbers too large to be scaled become infinite or NaN, which preparing refuses by the name of the field.
_QUIET = np.errstate(over="ignore", divide="ignore", invalid="ignore")


@_QUIET
def unit_range(features: Array) -> Array:
    """Features in [0, 1] by their smallest and largest values; a constant column becomes zero."""
    # ASSUME: the range of every feature is public.
    low, high = features.min(axis=0), features.max(axis=0)
    # Rounding could leave [0, 1] by a hair.
    scaled: Array = np.clip((features - low) / np.where(high > low, high - low, 1), 0, 1)
    return scaled


@_QUIET
def add_scaled(features: Array, target: Array) -> dict[str, Array]:
    """The fields of a regression: as published, and scaled to [0, 1], the target by its largest value."""
    # ASSUME: the largest target is public, too.
    features, target = np.ascontiguousarray(features), np.ascontiguousarray(target)
    return {
        "features": features,
        "target": target,
        "scaled_features": unit_range(features),
        "scaled_target": target / target.max(),
    }


def standardise(features: Array) -> Array:
    """Zero mean and unit variance over all records, those held out too: features are public."""
    spread = features.std(axis=0)
    centred: Array = (features - features.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return centred


def unit_rows(coordinates: Array) -> Array:
    """Rows with a constant appended, divided by their own norms: double precision.

    ASSUME: the constant stands for the intercept that the mean operator's separators lack. The division does not
    change the side of any separator that a record lies on, and makes ‖x‖₂ = 1, as theorem 9 wants.
    """
    extended = np.column_stack([coordinates, np.ones(len(coordinates))])
    unit: Array = extended / np.linalg.norm(extended, axis=1, keepdims=True)
    return unit
