"""The digits of the paper's experiments, sevens against nines: drawn anew in every trial, veiled, and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named
from replication.papers.spread.settings import Digits
from replication.randomness import Trial
from unveil.errors import require
from unveil.types import Array, Floats

DIGITS = (7, 9)
STATES = 256

#: From clean values to what is sent.
Veil: TypeAlias = Callable[[Array, Generator], Array]
#: Weights (checkpoints, d) in pixels scaled to [0, 1], and intercepts (checkpoints,).
Path: TypeAlias = tuple[Floats, Floats]
#: What was trained: a method and what it was given.
Case: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True)
class Part:
    """Images, clean or noisy, and their labels: 0 for a seven, 1 for a nine."""

    images: Array
    labels: Array


def choose(mnist: Mapping[str, Array], train: int, test: int, rng: Generator) -> tuple[Part, Part]:
    """`train` images a digit from MNIST's training part and `test` from its test part, in random order."""
    rows = []
    for part, number in enumerate((train, test)):
        chosen = []
        for digit in DIGITS:
            found = np.flatnonzero((mnist["labels"] == digit) & (mnist["split"] == part))
            require(len(found) >= number, f"there are only {len(found)} images of a {digit}, not {number}")
            chosen.append(rng.choice(found, number, replace=False))
        rows.append(rng.permutation(np.concatenate(chosen)))
    first, second = (
        Part(mnist["images"][part], (mnist["labels"][part] == DIGITS[1]).astype(np.uint8)) for part in rows
    )
    return first, second


def drawn(fields: Fields, trial: Trial, settings: Digits) -> tuple[Part, Part]:
    """The digits of a trial, the same in every stage: to train on, and to test with."""
    return choose(fields["mnist"], settings.train, settings.test, trial.public)


def scaled(images: Array) -> Array:
    """Pixels in [0, 1], in single precision."""
    return images.astype(np.float32) / (STATES - 1)


def veiled(clean: Part, veils: Iterable[tuple[Veil, Veil]], rng: Generator) -> Named:
    """`("images", i)` and `("labels", i)` through the i-th pair of veils."""
    released: dict[Key, Array] = {}
    for i, (pixels, labels) in enumerate(veils):
        released["images", i] = pixels(clean.images, rng)
        released["labels", i] = labels(clean.labels, rng)
    return released


def received(released: Named, level: int) -> Part:
    """What came through the veils of a level."""
    return Part(released["images", level], released["labels", level])


def named(case: Case, path: Path) -> dict[Key, Array]:
    """What a learner hands to the referee."""
    return dict(zip((("weights", *case), ("intercepts", *case)), path, strict=True))


def learned_in(trial: Trial, learned: Mapping[str, Sequence[Named]]) -> Named:
    """Everything that was learned in a trial, by whichever arm."""
    return {name: array for arm in learned.values() for name, array in arm[trial.number].items()}


def judged(clean: Part, learned: Named, cases: Sequence[Case]) -> Array:
    """The share of clean images that is put right: (cases, checkpoints)."""
    intercepts = np.stack([learned["intercepts", *case] for case in cases])
    return accuracy(clean, _weights(learned, cases), intercepts)


def lengths(learned: Named, cases: Sequence[Case]) -> Array:
    """‖θ‖: (cases, checkpoints)."""
    norms: Array = np.linalg.norm(_weights(learned, cases), axis=-1)
    return norms


def _weights(learned: Named, cases: Sequence[Case]) -> Array:
    return np.stack([learned["weights", *case] for case in cases])


def accuracy(clean: Part, weights: Array, intercepts: Array) -> Array:
    """The share of clean images put right by each row of `weights` (…, d), in pixels scaled to [0, 1]."""
    flat = weights.reshape(-1, weights.shape[-1])
    scores = clean.images.astype(np.float64) @ (flat.T / 255) + intercepts.reshape(-1)
    right: Array = ((scores > 0) == (clean.labels[:, None] == 1)).mean(axis=0).reshape(weights.shape[:-1])
    return right
