"""The attack on released digits, the attacker: what the released pair tells of the label, and of whose image it is.

The attacker knows the noise, has labelled digits of other people, and a list of candidates' images without labels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log

import numpy as np
from numpy.random import Generator
from scipy.spatial.distance import cdist

from replication.arrays import Fields, Key, Named
from replication.papers.spread.attack.settings import Learn
from replication.papers.spread.attack.users import Channel, candidates, channels, own_digits
from replication.papers.spread.digits import STATES, Part, pick_level, take_digits
from replication.papers.spread.settings import Noise
from replication.papers.spread.training import tune_logistic
from replication.randomness import Trial
from unveil.types import Array, Floats


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Of each noise and level: log-odds of a nine from image, label and both; the candidate that fits best."""
    own, listed = own_digits(public), candidates(public, trial, settings)
    known = take_digits(public["mnist"], listed).images
    learned: dict[Key, Array] = {}
    for i, channel in enumerate(channels(settings)):
        sent = pick_level(released["noisy"], i)
        rng = trial.rng_of(channel.noise, channel.level)
        image = image_log_odds(sent.images, own, channel, settings, rng)
        report = np.where(sent.labels == 1, 1, -1) * log((1 - channel.label_flip) / channel.label_flip)
        learned |= {
            ("label_image", i): image,
            ("label_report", i): report,
            # Given the digit, the noises of image and label are independent.
            ("label_pair", i): image + report,
            ("identity", i): listed[best_match(sent.images, known, channel.noise)],
        }
    return learned


def image_log_odds(sent: Array, own: Part, channel: Channel, settings: Learn, rng: Generator) -> Floats:
    """By a linear classifier of the attacker's own digits, veiled as the users' are, again and again."""
    # With a multiple of the folds, copies of a digit are in one: the penalty is chosen on digits that no fit has seen.
    count = len(own.labels) - len(own.labels) % settings.folds
    order = rng.permutation(len(own.labels))[:count]
    copies = np.concatenate([channel.images(own.images[order], rng) for _ in range(settings.copies)])
    labels = np.tile(own.labels[order], settings.copies)
    rows, seen = _inputs(copies, channel.noise), _inputs(sent, channel.noise)
    middle = rows.mean(axis=0)
    theta = tune_logistic(rows - middle, labels, settings.l2s, settings.folds)[0]
    odds: Floats = (seen - middle) @ theta
    return odds


def _inputs(images: Array, noise: Noise) -> Floats:
    return images.astype(np.float64) / (STATES - 1 if noise == "pixel_flip" else 1)


def nearness(sent: Array, known: Array) -> Floats:
    """Minus half the squared distance of each sent image to each known one, but for what all candidates share."""
    clean = known.astype(np.float64) / (STATES - 1)
    products: Floats = sent @ clean.T - (clean**2).sum(axis=1) / 2
    return products


#: The log-likelihood of each candidate, up to a positive factor and what all share.
LIKELIHOODS: Mapping[Noise, Callable[[Array, Array], Array]] = {
    "pixel_flip": lambda sent, known: -cdist(sent, known, "hamming"),
    "gaussian": nearness,
}


def best_match(sent: Array, known: Array, noise: Noise) -> Array:
    """The likeliest candidate of each user."""
    best: Array = LIKELIHOODS[noise](sent, known).argmax(axis=1)
    return best
