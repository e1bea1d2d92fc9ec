"""Where the spread estimator is consistent: exact maximum likelihood on a few binary inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logsumexp

from replication.papers.spread.consistency.enumeration import (
    any_inputs,
    factorised_inputs,
    given_inputs,
    joint_noise,
    patterns,
)
from replication.papers.spread.consistency.settings import Score
from replication.randomness import Trial
from unveil.estimators.spread.likelihood import Model, SpreadLikelihood
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.types import Floats

COLUMNS = ["prior", "inputs", "p_flip", "n", "trial", "error"]
#: What each estimator assumes of inputs with a given law, and how many free parameters that has.
PRIORS: dict[str, Callable[[Floats], tuple[Model, int]]] = {
    "true": lambda law: (given_inputs(np.log(_independent(law))), 0),
    "flat": lambda law: (given_inputs(np.full(len(law), -_size(law) * np.log(2))), 0),
    "learned": lambda law: (factorised_inputs(_size(law)), _size(law)),
    "joint": lambda law: (any_inputs(_size(law)), len(law) - 1),
    "none": lambda law: (given_inputs(np.zeros(len(law))), 0),
}


def score(trials: Sequence[Trial], settings: Score) -> pd.DataFrame:
    """‖θ̂ − θ₀‖ for samples of each size; with n infinite and no trial for the exact noisy law."""
    truth = np.asarray(settings.theta, dtype=float)
    rows: list[tuple[Any, ...]] = []
    couplings = {"factorised": 0.0, "correlated": settings.coupling}
    for (inputs, coupling), p_flip in product(couplings.items(), settings.p_flips):
        law = _input_law(np.asarray(settings.logits, dtype=float), coupling)
        noise = joint_noise(len(truth), PixelFlips(p_flip, 2).matrix, LabelFlips(p_flip).matrix)
        seen = noise @ _joint_law(law, truth)
        samples: list[tuple[float, Any, Floats]] = [(np.inf, pd.NA, seen)]
        samples += [
            (float(n), trial.number, trial.rng_of(inputs, p_flip, n).multinomial(n, seen / seen.sum()).astype(float))
            for n in settings.sizes
            for trial in trials
        ]
        for prior, (n, number, counts) in product(PRIORS, samples):
            found = _fit(prior, law, noise, counts)
            rows.append((prior, inputs, p_flip, n, number, float(np.linalg.norm(found - truth))))
    return pd.DataFrame(rows, columns=COLUMNS).astype({"trial": "Int64"})


def _input_law(logits: Floats, coupling: float) -> Floats:
    """Binary inputs with the given log-odds, neighbours coupled as in an Ising chain."""
    bits = patterns(len(logits))
    agree = (bits[:, 1:] == bits[:, :-1]).sum(axis=1)
    scores = bits @ logits + coupling * agree
    law: Floats = np.exp(scores - logsumexp(scores))
    return law


def _joint_law(law: Floats, theta: Floats) -> Floats:
    """The law of (x, c) in the order of `enumeration`."""
    one = expit(patterns(len(theta)) @ theta)
    return np.column_stack([law * (1 - one), law * one]).ravel()


def _size(law: Floats) -> int:
    """The number of binary inputs."""
    return int(np.log2(len(law)))


def _independent(law: Floats) -> Floats:
    """Independent inputs with the marginals of `law`."""
    bits = patterns(_size(law))
    marginals = law @ bits
    product_law: Floats = np.prod(np.where(bits == 1, marginals, 1 - marginals), axis=1)
    return product_law


def _fit(prior: str, law: Floats, noise: Floats, counts: Floats) -> Floats:
    """θ at the maximum of the spread likelihood; `none`: of the plain likelihood of the noisy data."""
    inputs = _size(law)
    model, free = PRIORS[prior](law)
    channel = np.eye(len(noise)) if prior == "none" else noise
    return SpreadLikelihood(channel).maximise(model, counts, np.zeros(inputs + free))[:inputs]
