"""What the learner must know of the noise, checked: the public parameters of the veil."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import is_real, require, require_number
from unveil.estimators.spread.input_posterior import FlipRates
from unveil.types import Array, Floats, as_numbers


class KnownNoise(NamedTuple):
    """What the learner knows of the noise."""

    label_flip: Any
    input_noise: Any
    noise: str
    states: int
    #: How many features each column of a table makes; None where these are the pixels of a picture.
    columns: Any = None

    def top_states(self) -> Any:
        """The last state of each feature: of a category's bit it is one."""
        if self.columns is None:
            return self.states - 1
        return np.repeat(np.where(np.equal(self.columns, 1), self.states - 1, 1), self.columns)


def assume_noise(label_flip: Any, input_noise: Any, noise: str, states: int) -> KnownNoise:
    """From an estimator's parameters; where they say nothing, there is no noise."""
    flip, level = (0.0 if given is None else given for given in (label_flip, input_noise))
    return KnownNoise(flip, level, noise, states)


def read_noise(parameters: Mapping[str, Any], label_flip: Any, input_noise: Any) -> KnownNoise:
    """From a release; an estimator's parameters that say something else are errors."""
    for name, given in (("label_flip", label_flip), ("input_noise", input_noise)):
        same = given is None or np.array_equal(np.broadcast_to(given, np.shape(parameters[name])), parameters[name])
        require(same, f"{name} must be left out: the release says {parameters[name]}")
    stated = {name: parameters[name] for name in ("label_flip", "input_noise", "noise", "states")}
    return KnownNoise(**stated, columns=parameters.get("columns"))


def label_matrix(label_flip: float | Sequence[float]) -> Floats:
    """P[i, j] = p(c̃ = i | c = j) from one flip probability or the pair (zero to one, one to zero)."""
    pair: Floats = np.atleast_1d(as_numbers(cast("ArrayLike", label_flip), "label_flip"))
    require(pair.shape in ((1,), (2,)), "label_flip must be one probability or a pair (zero to one, one to zero)")
    up, down = float(pair[0]), float(pair[-1])
    require(0 <= up < 1 and 0 <= down < 1, f"label_flip must lie in [0, 1), not {label_flip}")
    require(
        not math.isclose(up + down, 1),
        "label_flip must not sum to 1: labels that are right as often by chance carry nothing",
    )
    return np.array([[1 - up, down], [up, 1 - down]])


def flip_rates(flip: Any, states: int) -> FlipRates:
    """The pixel flips that the mixture form of the posterior covers."""
    require_number(states, "states", whole=True)
    require(is_real(flip), "input_noise must be one probability for flips")
    require_number(flip, "input_noise")
    require(2 <= states <= 256, f"states must be between 2 and 256, not {states}")
    require(0 <= flip < 1, f"input_noise must be a probability in [0, 1) for flips, not {flip}")
    require(
        flip < (states - 1) / states - 1e-12,
        "input_noise must be below (states - 1)/states: there a pixel is uniform, whatever the truth",
    )
    return FlipRates(flip, int(states))


def pixel_states(X: Array, states: int) -> Array:
    """`X` as states 0 … states − 1; whole numbers in floating point are taken as such."""
    low, high = X.min(), X.max()
    require(low >= 0 and high < states, f"X must hold pixel states from 0 to {states - 1}, found {low} to {high}")
    integers: Array = X.astype(np.uint8)
    require(np.array_equal(integers, X), "X must hold whole pixel states; use noise='gaussian' for continuous inputs")
    return integers


def debias_mean(noisy: Array, rates: FlipRates) -> Floats:
    """The mean clean image in [0, 1], estimated from flipped ones."""
    top = rates.states - 1
    mean = (noisy.mean(axis=0, dtype=float) - rates.other * rates.states * top / 2) / rates.extra
    bounded: Floats = np.clip(mean / top, 0, 1)
    return bounded


def input_variances(input_noise: Any, inputs: int) -> Floats:
    """The variance of each input's noise, from one number or one each."""
    given: Floats = as_numbers(input_noise, "input_noise")
    require(
        given.shape in ((), (1,), (inputs,)), f"input_noise must be one variance, or one for each of {inputs} inputs"
    )
    held = "input_noise must hold variances between 0 and 1e100"
    require(((given >= 0) & (given <= 1e100)).all(), held)
    variances: Floats = np.broadcast_to(given, inputs).astype(float)
    return variances


#: An input whose noisy variance is nearly all noise keeps this share of it as its own.
LEAST_SIGNAL = 1e-3


def clean_deviations(noisy: Floats, noise: Floats) -> Floats:
    """The standard deviation of each clean input, estimated from the noisy ones; 1 for constant inputs."""
    seen = noisy.var(axis=0, dtype=float)
    own = np.maximum(seen - noise, LEAST_SIGNAL * seen)
    deviations: Floats = np.sqrt(np.where(own > 0, own, 1.0))
    return deviations
