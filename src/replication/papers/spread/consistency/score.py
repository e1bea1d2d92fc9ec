"""Where the spread estimator is consistent: exact maximum likelihood on a few binary inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, logsumexp

from replication.randomness import Trial
from unveil.estimators.spread.enumeration import (
    any_inputs,
    factorised_inputs,
    given_inputs,
    joint_noise,
    patterns,
)
from unveil.estimators.spread.likelihood import SpreadLikelihood
from unveil.mechanisms.flips import LabelFlips, PixelFlips
from unveil.types import Arrays, Floats

COLUMNS = ["prior", "inputs", "p_flip", "n", "trial", "error"]
PRIORS = ("true", "flat", "learned", "joint", "none")


def score(
    learned: Mapping[str, Sequence[Arrays]],
    fields: Mapping[str, Arrays],
    trials: Sequence[Trial],
    *,
    theta: Sequence[float],
    logits: Sequence[float],
    coupling: float,
    p_flips: Sequence[float],
    sizes: Sequence[int],
) -> pd.DataFrame:
    """‖θ̂ − θ₀‖ for samples of each size; with n infinite and no trial for the exact noisy law."""
    truth = np.asarray(theta, dtype=float)
    rows: list[tuple[Any, ...]] = []
    for (inputs, strength), p_flip in product((("factorised", 0.0), ("correlated", coupling)), p_flips):
        law = _input_law(np.asarray(logits, dtype=float), strength)
        noise = joint_noise(len(truth), PixelFlips(p_flip, 2).matrix, LabelFlips(p_flip).matrix)
        seen = noise @ _joint_law(law, truth)
        samples: list[tuple[float, Any, Floats]] = [(np.inf, pd.NA, seen)]
        samples += [
            (float(n), trial.number, trial.rng.multinomial(n, seen / seen.sum()).astype(float))
            for n in sizes
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


def _fit(prior: str, law: Floats, noise: Floats, counts: Floats) -> Floats:
    """θ at the maximum of the spread likelihood; `none`: of the plain likelihood of the noisy data."""
    inputs = int(np.log2(len(law)))
    marginals = law @ patterns(inputs)
    bits = patterns(inputs)
    product_law = np.prod(np.where(bits == 1, marginals, 1 - marginals), axis=1)
    model, free = {
        "true": (given_inputs(np.log(product_law)), 0),
        "flat": (given_inputs(np.full(len(law), -inputs * np.log(2))), 0),
        "learned": (factorised_inputs(inputs), inputs),
        "joint": (any_inputs(inputs), len(law) - 1),
        "none": (given_inputs(np.zeros(len(law))), 0),
    }[prior]
    channel = np.eye(len(noise)) if prior == "none" else noise
    return SpreadLikelihood(channel).maximise(model, counts, np.zeros(inputs + free))[:inputs]
