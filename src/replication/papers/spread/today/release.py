"""The owner: vectors and labels at every exact level, and the records through the paper's own noise."""

from __future__ import annotations

from itertools import product

from replication.arrays import Fields, Key
from replication.papers.spread.today.records import PROJECTIONS, draw_records, project
from replication.papers.spread.today.settings import Release
from replication.papers.spread.today.veils import VEILS, add_gaussian
from replication.randomness import Trial
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.types import Array


def release(fields: Fields, trial: Trial, settings: Release) -> dict[Key, Array]:
    """`(data set, projection, veil, level, "inputs" or "labels")`; by the paper's noise `(data set, "paper", …)`."""
    released: dict[Key, Array] = {}
    for dataset, projections in PROJECTIONS.items():
        if dataset not in fields:
            continue
        parts = draw_records(fields, dataset, trial, settings)
        labels = parts.train_labels
        vectors = {name: project(parts.train, fields, dataset, name, trial, settings) for name in projections}
        for (projection, rows), (name, veil), (level, epsilon) in product(
            vectors.items(), VEILS.items(), enumerate(settings.epsilons)
        ):
            key, made = (dataset, projection, name, level), veil(epsilon, settings)
            rng = trial.rng_of(*key)
            released[*key, "inputs"] = made.noise(rows, rng)
            released[*key, "labels"] = LabelFlips(made.flip).release(labels, rng)
        noises = settings.p_flips if dataset == "mnist" else settings.variances
        for level, size in enumerate(noises):
            rng = trial.rng_of(dataset, "paper", level)
            if dataset == "mnist":
                sent, flip = PixelFlips(size).release(parts.train, rng), size
            else:
                sent, flip = add_gaussian(size)(vectors["random"], rng), settings.label_flip
            released[dataset, "paper", level, "inputs"] = sent
            released[dataset, "paper", level, "labels"] = LabelFlips(flip).release(labels, rng)
    return released
