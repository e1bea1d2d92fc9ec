"""The learner: from each release the spread likelihood, which knows the noise, and plain training, which does not."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from replication.arrays import Fields, Key, Named
from replication.papers.spread.today.settings import Learn
from replication.papers.spread.today.veils import VEILS
from replication.papers.spread.training import STEPS, tune_logistic
from replication.randomness import Trial
from unveil.estimators.spread.ascent import SpreadLogistic
from unveil.estimators.spread.exact import NormalScores, climb
from unveil.estimators.spread.input_posterior import gaussian_moments
from unveil.estimators.spread.priors import learn_normal
from unveil.mechanisms.flips import LabelFlips
from unveil.types import Array, Floats

#: ASSUME: along no direction is the clean variance less than this share of an even one.
LEAST = 0.1


def learn(released: Mapping[str, Named], public: Fields, trial: Trial, settings: Learn) -> Named:
    """Weights with the intercept last, `(data set, projection, veil, level, learner)`."""
    files = released["records"]
    learned: dict[Key, Array] = {}
    for key in files:
        if key[-1] != "inputs":
            continue
        place, inputs, labels = key[:-1], files[key], files[*key[:-1], "labels"].astype(np.intp)
        level = int(place[-1])
        if place[1] != "paper":
            veil = VEILS[str(place[2])](settings.epsilons[level], settings)
            learned[*place, "spread"] = maximise_spread(inputs, labels, veil.flip, veil.variance, settings)
            learned[*place, "plain"] = train_plain(inputs, labels, settings)
        elif place[0] == "mnist":
            learned[place] = climb_flips(inputs, labels, settings.p_flips[level], trial, settings)
        else:
            variance = settings.variances[level]
            learned[place] = maximise_spread(inputs, labels, settings.label_flip, variance, settings)
    return learned


def maximise_spread(inputs: Array, labels: Array, flip: float, variance: float, settings: Learn) -> Floats:
    """The maximum of the exact likelihood for normal noise and a normal prior, as the noisy inputs show it.

    Its penalty is the one under which the labels of every second record are most likely, fitted to the others.
    ASSUME: the noise of a random direction is taken for normal; of many entries each projection nearly is.
    """
    noise = np.full(inputs.shape[1], variance)
    mean, spread = learn_normal(inputs, noise)
    values, axes = np.linalg.eigh(spread)
    spread = axes * np.maximum(values, LEAST / len(noise)) @ axes.T
    unit = np.sqrt(np.diagonal(spread))
    found, left = gaussian_moments(inputs / unit, noise / unit**2, (mean / unit, spread / np.outer(unit, unit)))
    rows, turn = np.column_stack([found - mean / unit, np.ones(len(found))]), LabelFlips(flip).matrix
    parts = [NormalScores(rows[k::2], np.pad(left, (0, 1)), labels[k::2], turn) for k in (0, 1)]
    whole = NormalScores(rows, np.pad(left, (0, 1)), labels, turn)
    penalties = [np.full(rows.shape[1], 2.0 * l2) for l2 in settings.l2s]
    best = max(penalties, key=lambda own: parts[1](climb(parts[0], own, settings.iterations).theta)[0])
    theta = climb(whole, best, settings.iterations).theta
    return uncentred(theta[:-1] / unit, theta[-1], mean)


def train_plain(inputs: Array, labels: Array, settings: Learn) -> Floats:
    """Logistic regression as if nothing were noisy, the penalty cross-validated on the noisy data."""
    mean = inputs.mean(axis=0)
    ones = np.column_stack([inputs - mean, np.ones(len(inputs))])
    theta = tune_logistic(ones, labels, settings.l2s, settings.folds)[0]
    return uncentred(theta[:-1], theta[-1], mean)


def uncentred(weights: Floats, intercept: float, mean: Floats) -> Floats:
    """Weights, and last the intercept, for inputs as they are."""
    return np.append(weights, intercept - weights @ mean)


def climb_flips(images: Array, labels: Array, flip: float, trial: Trial, settings: Learn) -> Floats:
    """The paper's ascent with a flat prior, θᵀx sampled, for pixels in [0, 1]."""
    rng = trial.rng_of("mnist", flip)
    steps = {**STEPS, "rate": settings.rate, "iterations": settings.iterations, "level": "z"}
    model = SpreadLogistic(flip, flip, random_state=rng, **steps).learn(images, labels)
    return np.append(model.coef_[0], model.intercept_)
