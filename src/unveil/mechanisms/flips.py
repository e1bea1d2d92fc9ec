"""Randomised response on binary labels and on pixels (Barber, section 6), with the exact privacy of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.base import Mechanism
from unveil.mechanisms.checks import check_states, response_type
from unveil.privacy.channels import channel_epsilon
from unveil.types import Array, Floats, as_whole


def _check_probability(value: float, name: str) -> None:
    require(0 <= value < 1, f"{name} must be a probability in [0, 1), not {value}")


@dataclass(frozen=True)
class LabelFlips(Mechanism):
    """Report a binary label falsely, each class with a probability of its own (Barber, section 3).

    For simulation only.

    Parameters
    ----------
    zero_to_one : float
        The probability p10 that a zero is reported as one.
    one_to_zero : float, optional
        The probability p01 that a one is reported as zero; the same by default.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import LabelFlips
    >>> labels = np.repeat([0, 1], [400, 600])
    >>> veil = LabelFlips(0.1, 0.3)
    >>> noisy = veil.release(labels, default_rng(0))
    >>> float(noisy.mean()), float(veil.debias(noisy).mean().round(3))
    (0.47, 0.617)
    >>> round(veil.epsilon, 3)
    1.946

    See Also
    --------
    ExactResponse : for real releases.
    SpreadLogisticRegression : learns through the flips.
    """

    zero_to_one: float
    one_to_zero: float | None = None

    def _check_parameters(self) -> None:
        _check_probability(self.zero_to_one, "zero_to_one")
        _check_probability(self._back, "one_to_zero")
        require(
            not math.isclose(self.zero_to_one + self._back, 1.0, abs_tol=1e-12),
            "zero_to_one + one_to_zero must differ from 1: at 1 the noise is not invertible",
        )

    @property
    def _back(self) -> float:
        return self.zero_to_one if self.one_to_zero is None else self.one_to_zero

    @property
    def matrix(self) -> Floats:
        """P of section 3: P[i, j] is the probability that label j is reported as i; columns sum to one."""
        p10, p01 = self.zero_to_one, self._back
        return np.array([[1 - p10, p01], [p10, 1 - p01]])

    def release(self, labels: ArrayLike, rng: Generator) -> Array:
        """Noisy labels in the shape and type of `labels`, which are 0 or 1; one uniform each."""
        clean = check_states(labels, 2, "labels")
        chance = np.where(clean == 1, self._back, self.zero_to_one)
        return np.asarray((clean != (rng.random(clean.shape) < chance)).astype(clean.dtype))

    def debias(self, released: ArrayLike) -> Floats:
        """Numbers with expectation the true labels: the corrected (2) and (24), one label at a time."""
        noisy: Floats = np.asarray(released, dtype=float)
        return (noisy - self.zero_to_one) / (1 - self.zero_to_one - self._back)

    @property
    def epsilon(self) -> float:
        """The exact local privacy of one label; infinite where a report is certain to be true."""
        return channel_epsilon(self.matrix)


@dataclass(frozen=True)
class PixelFlips(Mechanism):
    """Replace a pixel, with probability `flip`, by one of its other states, uniformly (Barber, section 6).

    For simulation only.

    Parameters
    ----------
    flip : float
        The probability p_f of a false state.
    states : int
        How many states a pixel has, from 0 to `states` − 1.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import PixelFlips
    >>> image = np.full((28, 28), 200, dtype=np.uint8)
    >>> veil = PixelFlips(0.2)
    >>> noisy = veil.release(image, default_rng(0))
    >>> float((noisy != image).mean().round(3)), float(veil.debias(noisy).mean().round(1))
    (0.2, 202.8)

    One pixel has the level 6.9; of a whole image nothing is hidden:

    >>> round(veil.epsilon, 1), round(veil.image_epsilon(784, delta=1e-5))
    (6.9, 4661)

    See Also
    --------
    ExactResponse : for real releases.
    SpreadLogisticRegression : learns through the flips.
    """

    flip: float
    states: int = 256

    def _check_parameters(self) -> None:
        _check_probability(self.flip, "flip")
        require(2 <= self.states <= 65536, "states must be between 2 and 65536")
        require(
            not math.isclose(self.flip, 1 - 1 / self.states, abs_tol=1e-12),
            "flip must differ from (states - 1)/states: there every report is uniform noise",
        )

    @property
    def other(self) -> float:
        """The probability of one particular false state."""
        return self.flip / (self.states - 1)

    @property
    def matrix(self) -> Floats:
        """P[i, j]: the probability that state j is reported as i."""
        return np.full((self.states, self.states), self.other) + np.eye(self.states) * (1 - self.flip - self.other)

    def release(self, pixels: ArrayLike, rng: Generator) -> Array:
        """Noisy pixels in the shape of `pixels`, and in their type where that holds all states.

        One uniform decides whether a pixel moves and where to.
        """
        clean = check_states(pixels, self.states, "pixels")
        if self.flip == 0:
            return clean.copy()
        draw = rng.random(clean.shape) / self.flip
        step = np.where(draw < 1, np.minimum(np.floor(draw * (self.states - 1)), self.states - 2) + 1, 0)
        moved = as_whole(clean, "pixels") + as_whole(step, "pixels")
        return as_whole(moved % self.states, "pixels", response_type(clean, self.states))

    def debias(self, released: ArrayLike) -> Floats:
        """Numbers with expectation the true pixels."""
        noisy: Floats = np.asarray(released, dtype=float)
        return (noisy - self.other * self.states * (self.states - 1) / 2) / (1 - self.flip - self.other)

    @property
    def epsilon(self) -> float:
        """The exact local privacy of one pixel."""
        return abs(math.log((1 - self.flip) / self.other)) if self.flip else math.inf

    def image_delta(self, epsilon: float, pixels: int) -> float:
        """The exact δ at `epsilon` of two images that differ in all of `pixels` pixels.

        The privacy loss is `self.epsilon` times a sum of independent steps, +1 (the first image's state), −1
        (the second's) or 0 (any other): its law is a convolution power, and the hockey-stick divergence a
        finite sum.
        """
        require(pixels >= 1, "pixels must be at least 1")
        require(self.flip > 0, "flip must be positive for a finite privacy loss")
        up, down = (1 - self.flip, self.other) if 1 - self.flip > self.other else (self.other, 1 - self.flip)
        law = _convolution_power(np.array([down, max(1 - up - down, 0.0), up]), pixels)
        loss = self.epsilon * np.arange(-pixels, pixels + 1)
        above = loss > epsilon
        return float(np.sum(law[above] * -np.expm1(epsilon - loss[above])))

    def image_epsilon(self, pixels: int, delta: float = 0.0) -> float:
        """The smallest ε at `delta` for two images that differ everywhere; at δ = 0 the pixels' sum."""
        require(0 <= delta < 1, "delta must lie in [0, 1)")
        worst = pixels * self.epsilon
        if delta == 0 or math.isinf(worst):
            return worst
        if self.image_delta(0.0, pixels) <= delta:
            return 0.0
        from scipy.optimize import brentq  # imported late: most jobs that import this module need no root

        return float(brentq(lambda epsilon: self.image_delta(epsilon, pixels) - delta, 0.0, worst, xtol=1e-10))


def _convolution_power(law: np.ndarray[Any, np.dtype[np.float64]], power: int) -> Floats:
    """The law of a sum of `power` independent draws, by repeated squaring; nothing cancels."""
    result: Floats = np.ones(1)
    square: Floats = law
    while power:
        if power & 1:
            result = np.convolve(result, square)
        power >>= 1
        if power:
            square = np.convolve(square, square)
    return result
