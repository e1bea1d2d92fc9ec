"""The noise of Barber's experiments, sections 6 and 6.1. The paper states no level: what is claimed is our classes'."""

from __future__ import annotations

from itertools import product
from math import sqrt

import numpy as np
from numpy.random import Generator

from replication.judging.guarantees.case import Case, pure, row_by_row, tiled
from replication.judging.guarantees.settings import Image, Spread
from unveil.mechanisms.exact_response import ExactResponse
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.privacy.channels import channel_delta, channel_epsilon, smallest_epsilon
from unveil.privacy.count_noise import L2_SENSITIVITY, gaussian_count_delta
from unveil.types import Array, Floats

PAPER = "spread"


def cases(settings: Spread) -> list[Case]:
    """A label, a pixel, one with exact probabilities, a small image whose pixels all differ, and Gaussian noise."""
    flip, delta = settings.flip, settings.delta
    return [
        _label(flip),
        _pixel(flip, settings.states),
        _exact_pixel(flip, settings.states),
        _image(flip, delta, settings.image),
        _gaussian(settings.variance, delta, settings.distance),
    ]


def _label(flip: float) -> Case:
    mechanism = LabelFlips(flip)
    claimed, exact = mechanism.epsilon, channel_epsilon(mechanism.matrix)
    return Case(PAPER, "label_flips", {"flip": flip}, pure(claimed), pure(exact), row_by_row(mechanism), 0, 1)


def _pixel(flip: float, states: int) -> Case:
    mechanism = PixelFlips(flip, states)
    claimed, exact = mechanism.epsilon, channel_epsilon(mechanism.matrix)
    parameters = {"flip": flip, "states": states}
    pair = 0, states - 1
    return Case(PAPER, "pixel_flips", parameters, pure(claimed), pure(exact), row_by_row(mechanism), *pair)


def _exact_pixel(flip: float, states: int) -> Case:
    mechanism = ExactResponse(PixelFlips(flip, states).epsilon, states, testing=True)
    exact = channel_epsilon(mechanism.matrix)
    parameters = {"epsilon": round(mechanism.epsilon, 6), "states": states}
    claimed, pair = mechanism.claimed_epsilon, (0, states - 1)
    return Case(PAPER, "exact_response", parameters, pure(claimed), pure(exact), row_by_row(mechanism), *pair)


def _image(flip: float, delta: float, image: Image) -> Case:
    pixels, states = image.pixels, image.states
    mechanism = PixelFlips(flip, states)
    matrix = image_matrix(mechanism, pixels)
    claimed = mechanism.image_epsilon(pixels, delta)
    exact = smallest_epsilon(lambda epsilon: channel_delta(matrix, epsilon), delta)
    here, there = np.zeros(pixels, dtype=np.uint8), np.full(pixels, states - 1, dtype=np.uint8)

    def log_ratio(images: Array) -> Floats:
        scores: Floats = (images == here).sum(axis=1) - (images == there).sum(axis=1) * 1.0
        return scores

    return Case(
        PAPER,
        "image_flips",
        {"flip": flip, "states": states, "pixels": pixels},
        (claimed, delta),
        (exact, channel_delta(matrix, claimed)),
        row_by_row(mechanism),
        here,
        there,
        log_ratio,
    )


def image_matrix(mechanism: PixelFlips, pixels: int) -> Floats:
    """The laws of two images that differ everywhere, by enumeration: a pixel shows either image's state, or neither."""
    kinds = np.column_stack([mechanism.matrix[[0, -1], 0], mechanism.matrix[[0, -1], -1]])
    kinds = np.vstack([kinds, 1 - kinds.sum(axis=0)])
    outcomes = np.array(list(product(range(3), repeat=pixels)))
    laws: Floats = kinds[outcomes].prod(axis=1)
    return laws


def _gaussian(variance: float, delta: float, distance: float) -> Case:
    mechanism = GaussianInputNoise(variance)
    claimed = mechanism.epsilon(delta, distance)
    # The same shift relative to the noise, through the formula for noise on counts.
    deviation = L2_SENSITIVITY * sqrt(variance) / distance
    exact = smallest_epsilon(lambda epsilon: gaussian_count_delta(deviation, epsilon), delta)

    def release(inputs: Floats, n: int, rng: Generator) -> Array:
        return mechanism.release(tiled(inputs, n), rng)

    here, there = np.zeros(2), np.array([distance, 0.0])
    parameters = {"variance": variance, "distance": distance}
    both = (exact, gaussian_count_delta(deviation, claimed))
    return Case(PAPER, "gaussian_inputs", parameters, (claimed, delta), both, release, here, there)
