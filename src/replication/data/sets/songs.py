"""YearPredictionMSD: 90 timbre features of 515345 songs and the year of their release.

The official split keeps artists apart: the first 463715 rows train, the last 51630 test.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.random import Generator

from replication.data.reading import read_table, require_rows, split_in_order
from replication.data.scaling import unit_range
from unveil.types import Array

TRAIN, TEST = 463_715, 51_630
FIRST_YEAR, LAST_YEAR = 1922, 2011
#: The thinned fields hold every record of this number.
THINNING = 20
_TIMBRES, _COVARIANCES = 12, 78
_FACTORS = 12


def prepare(raw: Path) -> dict[str, Array]:
    """The fields of the whole file, in its own order."""
    path = raw / "YearPredictionMSD.txt"
    features, target = read_years(path)
    require_rows(path, len(target) == TRAIN + TEST, f"has {len(target)} rows instead of {TRAIN + TEST}")
    return _fields(features, target)


def read_years(path: Path) -> tuple[Array, Array]:
    """(features, years) of a file in the format of YearPredictionMSD."""
    values = read_table(path, 1 + _TIMBRES + _COVARIANCES, np.float32)
    years = values[:, 0]
    right = (years >= FIRST_YEAR) & (years <= LAST_YEAR) & (years == np.rint(years))
    require_rows(path, right.all(), f"has years outside {FIRST_YEAR} to {LAST_YEAR}")
    return np.ascontiguousarray(values[:, 1:]), years.astype(np.int16)


def _fields(features: Array, target: Array) -> dict[str, Array]:
    """The fields of all records, and of every 20th, scaled by the ranges of those alone."""
    split = split_in_order(TRAIN, TEST)
    thin = scale_songs(features[::THINNING], target[::THINNING], split[::THINNING])
    return {
        **scale_songs(features, target, split),
        "thinned_features": thin["scaled_features"],
        "thinned_target": thin["scaled_target"],
        "thinned_split": thin["split"],
    }


def scale_songs(features: Array, target: Array, split: Array) -> dict[str, Array]:
    """The fields as published, and scaled to [0, 1]: the features by their ranges, the target by the known years."""
    # In double precision first: a year is an integer of 16 bits.
    years = (target.astype(np.float64) - FIRST_YEAR) / (LAST_YEAR - FIRST_YEAR)
    scaled = {"scaled_features": unit_range(features), "scaled_target": years.astype(features.dtype)}
    return {"features": features, "target": target, "split": split, **scaled}


def stand_in(rng: Generator) -> dict[str, Array]:
    """A full-size draw from the model of `draw_songs`, with the official split sizes."""
    features, target = draw_songs(rng, TRAIN + TEST)
    return _fields(features, target)


def draw_songs(rng: Generator, rows: int) -> tuple[Array, Array]:
    """(features, years) from a declared model with the shape of the real data.

    Twelve factors are behind everything. The timbre averages are Gaussian. The covariances have heavy tails,
    as each song has a loudness of its own that multiplies them (log-normal): the first twelve, which are
    variances, are positive, the others centred near zero. The year depends on the factors so that its linear
    R² comes out near a quarter, and is skewed: most songs are recent, few are from before 1970.
    """
    factors = rng.standard_normal((rows, _FACTORS), dtype=np.float32)
    loadings = rng.standard_normal((_FACTORS, _TIMBRES + _COVARIANCES), dtype=np.float32) / np.float32(
        np.sqrt(2 * _FACTORS)
    )
    features = rng.standard_normal((rows, _TIMBRES + _COVARIANCES), dtype=np.float32)
    features *= np.float32(np.sqrt(0.5))
    features += factors @ loadings
    middle, spread = _scales()
    loudness = np.exp(0.5 * rng.standard_normal((rows, 1), dtype=np.float32) - np.float32(0.125))
    variances = slice(_TIMBRES, 2 * _TIMBRES)
    features[:, variances] = np.exp(0.6 * features[:, variances])
    features[:, 2 * _TIMBRES :] *= loudness
    features *= spread
    features += middle
    return features, _years(rng, factors)


def _scales() -> tuple[Array, Array]:
    """Middles and spreads of the columns: orders of magnitude that fall from one component to the next."""
    falling = np.geomspace(52.0, 6.0, _TIMBRES - 1)
    variances = np.geomspace(1500.0, 200.0, _TIMBRES)
    others = np.geomspace(500.0, 25.0, _COVARIANCES - _TIMBRES)
    spread = np.concatenate([[6.0], falling, variances, others])
    middle = np.concatenate([[43.0], np.zeros(_TIMBRES - 1), np.zeros(_COVARIANCES)])
    return middle.astype(np.float32), spread.astype(np.float32)


def _years(rng: Generator, factors: Array) -> Array:
    """Years before the last one: a log-normal of a score that the factors explain in part."""
    weights = rng.standard_normal(_FACTORS).astype(np.float32)
    signal = factors @ (weights / np.linalg.norm(weights))
    score = np.float32(0.62) * signal + np.float32(np.sqrt(1 - 0.62**2)) * rng.standard_normal(
        len(factors), dtype=np.float32
    )
    age = np.rint(np.exp(2.15 - 0.85 * score))
    years: Array = np.clip(LAST_YEAR - age, FIRST_YEAR, LAST_YEAR).astype(np.int16)
    return years
