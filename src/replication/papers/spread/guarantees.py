"""The noise of Barber's experiments, sections 6 and 6.1. The paper states no level: what is claimed is our classes'."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from scipy.special import gammaln, log_ndtr, ndtr, xlogy

from replication.judging.guarantees.case import Case, in_blocks, pure, row_by_row
from replication.judging.guarantees.settings import Spread
from unveil.mechanisms.exact_response import ExactResponse
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.numerics.search import bisect
from unveil.privacy.channels import channel_epsilon
from unveil.types import Array, Floats

PAPER = "spread"
#: An image of more pixels than this is audited on so many releases at most.
FEW, MOST = 50, 20_000


def cases(settings: Spread) -> list[Case]:
    """A label, a pixel, one with exact probabilities, images whose pixels all differ, and Gaussian noise.

    Levels are suprema over the labels, pixels and images that there are.
    """
    flip, delta, small, digits = settings.flip, settings.delta, settings.image, settings.digits
    return [
        _label(flip),
        _pixel(flip, settings.states),
        _exact_pixel(flip, settings.states),
        _image(flip, delta, small.pixels, small.states),
        *(_image(each, digits.delta, digits.pixels, digits.states) for each in digits.flips),
        _gaussian(settings.variance, delta, 2, settings.distance),
        *(_gaussian(each, digits.delta, digits.pixels, sqrt(digits.pixels)) for each in digits.variances),
    ]


def _label(flip: float) -> Case:
    mechanism = LabelFlips(flip)
    claimed, exact = mechanism.epsilon, channel_epsilon(mechanism.matrix)
    return Case(PAPER, "label_flips", {"flip": flip}, pure(claimed), pure(exact), row_by_row(mechanism.release), 0, 1)


def _pixel(flip: float, states: int) -> Case:
    mechanism = PixelFlips(flip, states)
    claimed, exact = mechanism.epsilon, channel_epsilon(mechanism.matrix)
    parameters = {"flip": flip, "states": states}
    pair = 0, states - 1
    return Case(PAPER, "pixel_flips", parameters, pure(claimed), pure(exact), row_by_row(mechanism.release), *pair)


def _exact_pixel(flip: float, states: int) -> Case:
    mechanism = ExactResponse(PixelFlips(flip, states).epsilon, states, testing=True)
    exact = channel_epsilon(mechanism.matrix)
    parameters = {"epsilon": round(mechanism.epsilon, 6), "states": states}
    claimed, pair = mechanism.claimed_epsilon, (0, states - 1)
    return Case(PAPER, "exact_response", parameters, pure(claimed), pure(exact), row_by_row(mechanism.release), *pair)


def _image(flip: float, delta: float, pixels: int, states: int) -> Case:
    mechanism = PixelFlips(flip, states)
    chances, losses = image_law(mechanism, pixels)
    claimed = mechanism.image_epsilon(pixels, delta)

    def delta_of(epsilon: float) -> float:
        return float(chances @ -np.expm1(np.minimum(epsilon - losses, 0.0)))

    exact = bisect(lambda epsilon: delta - delta_of(epsilon), 0.0, float(losses.max()))
    here, there = np.zeros(pixels, dtype=np.uint8), np.full(pixels, states - 1, dtype=np.uint8)

    def log_ratio(images: Array) -> Floats:
        scores: Floats = (images == here).sum(axis=1) - (images == there).sum(axis=1) * 1.0
        return scores

    return Case(
        PAPER,
        "image_flips",
        {"flip": flip, "states": states, "pixels": pixels},
        (claimed, delta),
        (exact, delta_of(claimed)),
        in_blocks(row_by_row(mechanism.release)),
        here,
        there,
        log_ratio,
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

    def log_ratio(released: Array) -> Floats:
        towards: Floats = -released.sum(axis=1)
        return towards

    return Case(
        PAPER,
        "gaussian_inputs",
        {"variance": variance, "pixels": pixels, "distance": round(distance, 6)},
        (claimed, delta),
        (exact, delta_of(claimed)),
        in_blocks(row_by_row(mechanism.release)),
        np.zeros(pixels),
        np.full(pixels, distance / sqrt(pixels)),
        log_ratio,
        most=MOST if pixels > FEW else None,
    )
