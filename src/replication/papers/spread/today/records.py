"""The records: digits or rows of a table, as vectors on or in the unit sphere of a few public directions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from replication.arrays import Fields
from replication.papers.spread.digits import DIGITS, choose, scale_pixels
from replication.papers.spread.today.settings import Release
from replication.randomness import Trial
from unveil.types import Array, Floats

#: Directions: at random, or principal components of the other digits, which are taken to be public.
PROJECTIONS: Mapping[str, tuple[str, ...]] = {"mnist": ("random", "components"), "census": ("random",)}
#: Other digits that components are made of.
OTHERS = 5000
#: The share of public vectors that are no longer than the radius; longer ones are cut.
WITHIN = 0.9


class Parts(NamedTuple):
    """Inputs as they are, and labels 0 and 1: to train on, and to test with."""

    train: Array
    train_labels: Array
    test: Array
    test_labels: Array


def draw_records(fields: Fields, dataset: str, trial: Trial, settings: Release) -> Parts:
    """The records of a trial, the same in owner and referee, as many of each class."""
    own = fields[dataset]
    if dataset == "mnist":
        first, second = choose(own, settings.train, settings.test, trial.public)
        return Parts(first.images, first.labels, second.images, second.labels)
    rng, rows = trial.public, []
    for part, number in enumerate((settings.train, settings.test)):
        classes = [np.flatnonzero((own["labels"] == label) & (own["split"] == part)) for label in (0, 1)]
        rows.append(rng.permutation(np.concatenate([rng.choice(found, number, replace=False) for found in classes])))
    inputs, labels = own["unit_features"], own["labels"].astype(np.uint8)
    return Parts(inputs[rows[0]], labels[rows[0]], inputs[rows[1]], labels[rows[1]])


def project(inputs: Array, fields: Fields, dataset: str, projection: str, trial: Trial, settings: Release) -> Floats:
    """Vectors of norm 1 at most: around the mean of the public digits, along public directions, cut at the radius."""
    rng = trial.shared("public", dataset, projection)
    if dataset == "mnist":
        mnist = fields[dataset]
        others = np.flatnonzero((mnist["split"] == 0) & ~np.isin(mnist["labels"], DIGITS))
        public = scale_pixels(mnist["images"][rng.choice(others, min(OTHERS, len(others)), replace=False)])
        rows, middle = scale_pixels(inputs), public.mean(axis=0)
    else:  # norms are 1 already, and nothing else is public
        public, rows, middle = np.eye(inputs.shape[1]), inputs, np.zeros(inputs.shape[1])
    if projection == "random":
        axes = rng.standard_normal((rows.shape[1], settings.components))
    else:
        axes = np.linalg.eigh(np.cov(public, rowvar=False))[1][:, -settings.components :]
    reach = np.quantile(np.linalg.norm((public - middle) @ axes, axis=1), WITHIN)
    vectors = ((rows - middle) @ axes / reach).astype(float)
    cut: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1), 1)[:, None]
    return cut
