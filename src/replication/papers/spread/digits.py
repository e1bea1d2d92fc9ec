"""The digits of the paper's experiments, sevens against nines: drawn anew in every trial, veiled, and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator

from replication.arrays import Fields, Key, Named
from replication.papers.spread.settings import Digits
from replication.randomness import Trial
from unveil.errors import require
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.types import Array, Floats

DIGITS = (7, 9)
STATES = 256

#: From clean values to what is sent.
Veil: TypeAlias = Callable[[Array, Generator], Array]
#: Weights (checkpoints, d) in pixels scaled to [0, 1], and intercepts (checkpoints,).
Path: TypeAlias = tuple[Floats, Floats]
#: What was trained: a method and what it was given.
Case: TypeAlias = tuple[Any, ...]


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
    first, second = (take_digits(mnist, part) for part in rows)
    return first, second


def take_digits(mnist: Mapping[str, Array], rows: Array) -> Part:
    """The clean images of some rows, and their labels."""
    return Part(mnist["images"][rows], (mnist["labels"][rows] == DIGITS[1]).astype(np.uint8))


def draw_digits(fields: Fields, trial: Trial, settings: Digits) -> tuple[Part, Part]:
    """The digits of a trial, the same in every stage: to train on, and to test with."""
    return choose(fields["mnist"], settings.train, settings.test, trial.public)


def scale_pixels(images: Array) -> Array:
    """Pixels in [0, 1], in single precision."""
    return images.astype(np.float32) / (STATES - 1)


def blur_pixels(variance: float) -> Veil:
    """Gaussian noise on pixels in [0, 1]."""
    noise = GaussianInputNoise(variance)
    return lambda images, rng: noise.release(scale_pixels(images), rng)


def veil_digits(clean: Part, veils: Mapping[Any, tuple[Veil, Veil]], trial: Trial) -> Named:
    """`("images", i)` and `("labels", i)` through the i-th pair of veils, by the name of whose level they are drawn."""
    released: dict[Key, Array] = {}
    for i, (level, (pixels, labels)) in enumerate(veils.items()):
        rng = trial.rng_of(*level)
        released["images", i] = pixels(clean.images, rng)
        released["labels", i] = labels(clean.labels, rng)
    return released


def pick_level(released: Named, level: int) -> Part:
    """What came through the veils of a level."""
    return Part(released["images", level], released["labels", level])


def name_path(case: Case, path: Path) -> dict[Key, Array]:
    """What a learner hands to the referee."""
    return dict(zip((("weights", *case), ("intercepts", *case)), path, strict=True))


class Result(NamedTuple):
    """A trial's case after one of its checkpoints: accuracies on clean images, and ‖θ‖."""

    trial: int
    case: Case
    checkpoint: int
    train: float
    test: float
    norm: float
    #: Which test images it put right.
    hits: Array


def judge_cases(
    learned: Mapping[str, Sequence[Named]],
    fields: Fields,
    trials: Sequence[Trial],
    settings: Digits,
    cases: Sequence[Case],
) -> Iterator[Result]:
    """Hold those `cases` that any arm learned against the clean digits."""
    for trial in trials:
        found = {name: array for arm in learned.values() for name, array in arm[trial.number].items()}
        parts = [replace(part, images=part.images.astype(np.float64)) for part in draw_digits(fields, trial, settings)]
        for case in cases:
            if ("weights", *case) in found:
                weights = found["weights", *case]
                train, test = (find_hits(part, weights, found["intercepts", *case]) for part in parts)
                for i, norm in enumerate(np.linalg.norm(weights, axis=-1)):
                    measures = float(train[i].mean()), float(test[i].mean()), float(norm)
                    yield Result(trial.number, case, i, *measures, test[i])


def find_hits(clean: Part, weights: Array, intercepts: Array) -> Array:
    """Which clean images each row of `weights`, in pixels scaled to [0, 1], puts right: (rows, images)."""
    scores = clean.images @ (weights.T / 255) + intercepts
    found: Array = (scores.T > 0) == (clean.labels == 1)
    return found


def find_tested(fields: Fields, trials: Sequence[Trial], settings: Digits) -> dict[int, Array]:
    """For each trial the rows of MNIST that it tests, in the order of `Result.hits`."""
    mnist = fields["mnist"]
    numbered = {**mnist, "images": np.arange(len(mnist["labels"]))}
    return {trial.number: draw_digits({"mnist": numbered}, trial, settings)[1].images for trial in trials}


def lead_deviation(first: Mapping[int, Array], second: Mapping[int, Array], rows: Mapping[int, Array]) -> float:
    """The standard deviation of a lead, averaged over all trials, when the pool of test images is drawn anew.

    Trials test nearly the same images; what they make of an image is averaged before images are compared.
    """
    size = 1 + max(int(rows[trial].max()) for trial in first)
    sums, counts = np.zeros(size), np.zeros(size)
    for trial, hits in first.items():
        sums[rows[trial]] += hits.astype(float) - second[trial]
        counts[rows[trial]] += 1
    leads = sums[counts > 0] / counts[counts > 0]
    return float(leads.std(ddof=1) / np.sqrt(len(leads)))
