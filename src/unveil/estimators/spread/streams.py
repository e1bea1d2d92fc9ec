"""The spread likelihood of records that are read in batches, again and again: memory does not grow with their number.

For Gaussian noise the log-likelihood, its gradient and the observed information are sums over records, and so is all
that the normal prior needs of them. Each evaluation of the quasi-Newton method is one pass over the batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.estimators.spread.exact import NormalScores, climb
from unveil.estimators.spread.input_posterior import gaussian_moments
from unveil.estimators.spread.noise_parameters import LEAST_SIGNAL, input_variances, label_matrix
from unveil.estimators.spread.priors import normal_prior, without_noise
from unveil.types import Array, Floats, as_array, as_numbers, require_moderate


@dataclass(frozen=True)
class InputSums:
    """How many noisy inputs there are, their mean, and Σ (x − mean)(x − mean)ᵀ."""

    records: int
    mean: Floats
    scatter: Floats

    @classmethod
    def of(cls, inputs: Floats) -> InputSums:
        """Of the rows of one batch, at least one."""
        mean = inputs.mean(axis=0)
        centred = inputs - mean
        return cls(len(inputs), mean, centred.T @ centred)

    def merge(self, other: InputSums) -> InputSums:
        """Of the records of both (Chan, Golub, LeVeque 1979)."""
        records, gap = self.records + other.records, other.mean - self.mean
        between = np.outer(gap, gap) * self.records * other.records / records
        return InputSums(records, self.mean + gap * other.records / records, self.scatter + other.scatter + between)


@dataclass(frozen=True)
class BatchedScores:
    """`NormalScores` of batches of (posterior means, labels), which `read` gives anew each time."""

    read: Callable[[], Iterator[tuple[Floats, Array]]]
    records: int
    variance: Floats
    matrix: Floats

    def _parts(self) -> Iterator[NormalScores]:
        for mean, labels in self.read():
            yield NormalScores(mean, self.variance, labels, self.matrix)

    def __call__(self, theta: Floats) -> tuple[float, Floats]:
        """The total log-likelihood of the noisy labels, and its gradient: one pass."""
        value, slope = 0.0, np.zeros(len(theta))
        for part in self._parts():
            own, rise = part(theta)
            value, slope = value + own, slope + rise
        return value, slope

    def information(self, theta: Floats) -> Floats:
        """The observed information, (d, d): one pass."""
        total = np.zeros((len(theta),) * 2)
        for part in self._parts():
            total += part.information(theta)
        return total


@dataclass(frozen=True)
class StreamedFit:
    """Weights for inputs as they are, their covariance, and the mean log-likelihood of the noisy labels."""

    coef: Floats
    covariance: Floats
    log_likelihood: float
    converged: bool
    iterations: int


def fit_stream(
    data: Iterable[tuple[ArrayLike, ArrayLike]],
    label_flip: Any,
    input_noise: Any,
    prior: Any = "normal",
    l2: float = 0.0,
    iterations: int = 400,
) -> StreamedFit:
    """`SpreadLogisticRegression(noise="gaussian")` on batches of noisy inputs and noisy labels 0 and 1.

    Parameters
    ----------
    data : iterable of (X, y)
        That can be gone through many times, such as `Table.pairs` or a list; a generator cannot.
    label_flip, input_noise, prior, l2, iterations
        As in `SpreadLogisticRegression`; the prior is "flat", "normal" or a pair (mean, variance). The penalty is on
        the weights of standardised inputs.

    Returns
    -------
    StreamedFit
        That of all records in one matrix, up to rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from unveil.estimators.spread.streams import fit_stream
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(20_000, 2))
    >>> y = rng.random(20_000) < 1 / (1 + np.exp(-X @ [2.0, -1.0]))
    >>> noisy_X, noisy_y = X + 0.5 * rng.normal(size=X.shape), y ^ (rng.random(20_000) < 0.1)
    >>> batches = [(noisy_X[:5000], noisy_y[:5000]), (noisy_X[5000:], noisy_y[5000:])]
    >>> fit_stream(batches, 0.1, 0.25).coef.round()
    array([ 2., -1.])
    """
    require(iter(data) is not data, "data must be an iterable that can be read again: a list or Table.pairs")
    matrix, sums = label_matrix(label_flip), _summed(data)
    noise = input_variances(input_noise, len(sums.mean))
    variances = np.diagonal(sums.scatter) / sums.records
    clean = np.maximum(variances - noise, LEAST_SIGNAL * variances)
    unit = np.sqrt(np.where(clean > 0, clean, 1.0))
    mean, variance = _prior(prior, sums, noise)
    spread = None if variance is None else variance / (np.outer(unit, unit) if variance.ndim == 2 else unit**2)
    centre = None if mean is None else mean / unit

    def read() -> Iterator[tuple[Floats, Array]]:
        for X, y in _checked(data):
            yield gaussian_moments(X / unit, noise / unit**2, centre, spread)[0], y

    left = gaussian_moments(np.zeros((1, len(unit))), noise / unit**2, centre, spread)[1]
    scores, penalty = BatchedScores(read, sums.records, left, matrix), np.full(len(unit), float(l2))
    found = climb(scores, penalty, iterations)
    information = scores.information(found.theta)
    inverse = np.linalg.pinv(information + sums.records * np.diag(penalty), hermitian=True)
    covariance = inverse @ information @ inverse / np.outer(unit, unit)
    value = scores(found.theta)[0] / sums.records
    return StreamedFit(found.theta / unit, covariance, value, found.converged, found.iterations)


def _summed(data: Iterable[tuple[ArrayLike, ArrayLike]]) -> InputSums:
    total: InputSums | None = None
    for X, _ in _checked(data):
        own = InputSums.of(X)
        total = own if total is None else total.merge(own)
    require(total is not None and total.records > 1, "data must hold at least two records")
    return cast(InputSums, total)


def _prior(prior: Any, sums: InputSums, noise: Floats) -> tuple[Floats | None, Floats | None]:
    if isinstance(prior, str) and prior == "normal":
        return sums.mean, without_noise(sums.scatter / (sums.records - 1), noise)
    return normal_prior(prior, np.zeros((0, len(noise))), noise)


def _checked(data: Iterable[tuple[ArrayLike, ArrayLike]]) -> Iterator[tuple[Floats, Array]]:
    """Batches with records, as doubles and labels 0 and 1."""
    for X, y in data:
        inputs, labels = as_numbers(X, "X"), as_array(y, "y")
        require(inputs.ndim == 2 and labels.shape == (len(inputs),), "y must have one label a row of X")
        require_moderate(inputs, "X")
        require(bool(((labels == 0) | (labels == 1)).all()), "y must hold the labels 0 and 1 only")
        if len(inputs):
            yield inputs, labels.astype(np.intp)
