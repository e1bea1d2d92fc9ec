"""Randomised response on ±1 labels, which the noisy mean operator is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sinh, tanh

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.mechanisms.base import Mechanism
from unveil.mechanisms.checks import check_alpha, check_features, check_signs
from unveil.types import Array, Floats, as_array, as_whole


@dataclass(frozen=True)
class LabelResponse(Mechanism):
    """Randomised response on each label: kept with probability e^α/(1 + e^α), flipped otherwise.

    What the noisy mean operator of Patrini et al. (2016) is compared with. For simulation only.

    Parameters
    ----------
    epsilon : float
        The level of one label, the α of the paper.

    Examples
    --------
    >>> import numpy as np
    >>> from numpy.random import default_rng
    >>> from unveil import LabelResponse
    >>> X, y = np.tile([[0.6, 0.8], [1.0, 0.0]], (500, 1)), np.tile([1, -1], 500)
    >>> veil = LabelResponse(1.0)
    >>> released = veil.release(y, default_rng(0))
    >>> float((released == y).mean())
    0.716
    >>> veil.mean_operator(X, released).round(2)  # the true one is (−0.2, 0.4)
    array([-0.23,  0.35])

    See Also
    --------
    ExactResponse : for real releases.
    MeanOperatorRelease : one statistic instead of all labels.
    """

    epsilon: float

    def _check_parameters(self) -> None:
        check_alpha(self.epsilon, "epsilon")

    def release(self, y: ArrayLike, rng: Generator) -> Array:
        """The labels `y` (n,), −1 or +1, as int8, some of them flipped."""
        labels = as_array(y, "y")
        signs = check_signs(labels, labels.size)
        kept = rng.random(len(signs)) * (1 + exp(-self.epsilon)) < 1
        return as_whole(np.where(kept, signs, -signs), "y", np.int8)

    def debias(self, released: ArrayLike) -> Floats:
        """Numbers whose expectation is the true labels: the released ones over tanh(α/2)."""
        signs: Floats = np.asarray(released, dtype=float) / tanh(self.epsilon / 2)
        return signs

    def mean_operator(self, X: ArrayLike, released: ArrayLike) -> Floats:
        """An unbiased estimate (d,) of μ from released labels (n,) and the public features X (n, d)."""
        features = check_features(X)
        return np.asarray(self.debias(check_signs(released, len(features))) @ features / len(features))

    @property
    def deviation(self) -> float:
        """The standard deviation of one debiased label, 1/sinh(α/2)."""
        return 1 / sinh(self.epsilon / 2) if self.epsilon < 1400 else 0.0
