"""The noise of Barber's experiments, sections 6 and 6.1. The paper states no level: what is claimed is our classes'."""

from __future__ import annotations

from math import log, sqrt
from typing import Any

import numpy as np
from scipy.special import gammaln, log_ndtr, ndtr, xlogy

from replication.judging.guarantees.case import Case, in_blocks, pure, row_by_row
from replication.judging.guarantees.settings import Spread
from unveil.mechanisms.exact_response import ExactResponse
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.numerics.search import bisect
from unveil.privacy.channels import channel_epsilon
from unveil.types import Floats

PAPER = "spread"
#: An image of more pixels than this is audited on so many releases at most.
FEW, MOST = 50, 20_000


def cases(settings: Spread) -> list[Case]:
    """A label, a pixel, one with exact probabilities, images whose pixels all differ, and Gaussian noise.

    Levels are suprema over the labels, pixels and images that there are.
    """
    flip, states, delta = settings.flip, settings.states, settings.delta
    small, digits = settings.image, settings.digits
    pixel = PixelFlips(flip, states)
    response = ExactResponse(pixel.epsilon, states, testing=True)
    return [
        _channel("label_flips", LabelFlips(flip), 1, flip=flip),
        _channel("pixel_flips", pixel, states - 1, flip=flip, states=states),
        _channel("exact_response", response, states - 1, epsilon=round(response.epsilon, 6), states=states),
        _image(flip, delta, small.pixels, small.states),
        *(_image(each, digits.delta, digits.pixels, digits.states) for each in digits.flips),
        _gaussian(settings.variance, delta, 2, settings.distance),
        *(_gaussian(each, digits.delta, digits.pixels, sqrt(digits.pixels)) for each in digits.variances),
    ]


def _channel(name: str, mechanism: Any, last: int, **parameters: object) -> Case:
    """A mechanism on single values, between the state 0 and the last."""
    claimed, exact = pure(mechanism.epsilon), pure(channel_epsilon(mechanism.matrix))
    return Case(PAPER, name, parameters, claimed, exact, row_by_row(mechanism.release), 0, last)


def _image(flip: float, delta: float, pixels: int, states: int) -> Case:
    mechanism = PixelFlips(flip, states)
    chances, losses = image_law(mechanism, pixels)
    claimed = mechanism.image_epsilon(pixels, delta)

    def delta_of(epsilon: float) -> float:
        return float(chances @ -np.expm1(np.minimum(epsilon - losses, 0.0)))

    exact = bisect(lambda epsilon: delta - delta_of(epsilon), 0.0, float(losses.max()))
    here, there = np.zeros(pixels, dtype=np.uint8), np.full(pixels, states - 1, dtype=np.uint8)

    return Case(
        PAPER,
        "image_flips",
        {"flip": flip, "states": states, "pixels": pixels},
        (claimed, delta),
        (exact, delta_of(claimed)),
        in_blocks(row_by_row(mechanism.release)),
        here,
        there,
        lambda images: (images == here).sum(axis=1) - (images == there).sum(axis=1) * 1.0,
        most=MOST if pixels > FEW else None,
    )


def image_law(mechanism: PixelFlips, pixels: int) -> tuple[Floats, Floats]:
    """Probabilities and losses of a veiled image against one that differs everywhere, by counts of pixels.

    A pixel shows its own state, that of the other image, or neither; only how many do which matters.
    """
    own, other = np.tril_indices(pixels + 1)
    own, other = pixels - own, other
    keep, fake, rest = 1 - mechanism.flip, mechanism.other, mechanism.flip - mechanism.other
    ways = gammaln(pixels + 1) - gammaln(own + 1) - gammaln(other + 1) - gammaln(pixels - own - other + 1)
    chances: Floats = np.exp(ways + xlogy(own, keep) + xlogy(other, fake) + xlogy(pixels - own - other, rest))
    losses: Floats = (own - other) * log(keep / fake)
    return chances, losses


def _gaussian(variance: float, delta: float, pixels: int, distance: float) -> Case:
    """Two inputs so far apart along a diagonal: of images with pixels in [0, 1], no two are farther than √pixels."""
    mechanism = GaussianInputNoise(variance)
    claimed = mechanism.epsilon(delta, distance)
    shift = distance / sqrt(variance)

    def delta_of(epsilon: float) -> float:
        """The loss is normal, of mean shift²/2 and variance shift²: P[L > ε] − e^ε P[L' > ε]."""
        return float(ndtr(shift / 2 - epsilon / shift) - np.exp(epsilon + log_ndtr(-epsilon / shift - shift / 2)))

    exact = bisect(lambda epsilon: delta - delta_of(epsilon), 0.0, shift**2 + 50 * shift)

    return Case(
        PAPER,
        "gaussian_inputs",
        {"variance": variance, "pixels": pixels, "distance": round(distance, 6)},
        (claimed, delta),
        (exact, delta_of(claimed)),
        in_blocks(row_by_row(mechanism.release)),
        np.zeros(pixels),
        np.full(pixels, distance / sqrt(pixels)),
        lambda released: -released.sum(axis=1),
        most=MOST if pixels > FEW else None,
    )
