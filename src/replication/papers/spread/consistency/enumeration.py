"""Logistic regression on a few binary inputs as a model over all states (x, c): exact spread likelihood.

State number 2·(x as a binary number, first input first) + c. The input model is factorised with given or free
marginals, or free over all patterns.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import log_expit

from unveil.errors import require
from unveil.estimators.spread.likelihood import Model, categorical
from unveil.types import Array, Floats


def patterns(inputs: int) -> Array:
    """All 2^D binary inputs, in order, (2^D, D)."""
    require(1 <= inputs <= 12, "inputs must be between 1 and 12: there are 2^inputs states")
    return (np.arange(2**inputs)[:, None] >> np.arange(inputs)[::-1]) & 1


def joint_noise(inputs: int, pixel: Floats, label: Floats) -> Floats:
    """The noise matrix on (x, c) states when every input and the label are flipped independently, (45)."""
    matrix: Floats = np.ones((1, 1))
    for part in [pixel] * inputs + [label]:
        matrix = np.kron(matrix, part)
    return matrix


def given_inputs(log_p: Floats) -> Model:
    """θ is free, p(x) is `log_p` over the patterns."""
    inputs = int(np.log2(len(log_p)))

    def model(theta: Floats) -> tuple[Floats, Floats]:
        log_label, derivatives = _labels(theta, inputs)
        return np.repeat(log_p, 2) + log_label, derivatives

    return model


def factorised_inputs(inputs: int) -> Model:
    """θ and the log-odds of every input are free, (62)."""

    def law(logits: Floats) -> tuple[Floats, Floats]:
        bits = patterns(inputs)
        one = log_expit(logits)
        return bits @ one + (1 - bits) @ (one - logits), bits - np.exp(one)

    return _with_free_inputs(inputs, law)


def any_inputs(inputs: int) -> Model:
    """θ and the law of all patterns are free (log-odds against the first pattern)."""
    return _with_free_inputs(inputs, categorical)


def _with_free_inputs(inputs: int, law: Callable[[Floats], tuple[Floats, Floats]]) -> Model:
    def model(parameters: Floats) -> tuple[Floats, Floats]:
        log_label, label_derivatives = _labels(parameters[:inputs], inputs)
        log_input, input_derivatives = law(parameters[inputs:])
        derivatives = np.hstack([label_derivatives, np.repeat(input_derivatives, 2, axis=0)])
        return log_label + np.repeat(log_input, 2), derivatives

    return model


def _labels(theta: Floats, inputs: int) -> tuple[Floats, Floats]:
    """Logarithm of p(c | x), (41), over the states, and its derivatives (c − φ(θᵀx)) x."""
    bits = patterns(inputs)
    z = bits @ theta
    log_p = np.column_stack([log_expit(-z), log_expit(z)])
    slopes = np.column_stack([-np.exp(log_p[:, 1]), np.exp(log_p[:, 0])])
    return log_p.ravel(), slopes.ravel()[:, None] * np.repeat(bits, 2, axis=0)
