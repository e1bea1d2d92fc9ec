"""Whole records with noise of their own: flipped labels, and flipped states or Gaussian noise (Barber, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, isclose, isfinite
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require
from unveil.mechanisms.base import ExactMechanism, describe_randomness
from unveil.mechanisms.batches import Data, cut_batches
from unveil.mechanisms.checks import check_classes, find_positives
from unveil.mechanisms.entropy import RandomBytes
from unveil.mechanisms.exact_response import UNIT
from unveil.mechanisms.exact_sampling import log_above, weighted_choice
from unveil.mechanisms.flips import LabelFlips
from unveil.mechanisms.gaussian_noise import GaussianInputNoise
from unveil.numerics.columns import bit_flip, require_categories
from unveil.protocols.base import Budget, Release
from unveil.types import Array, as_array, as_numbers, as_reals, as_whole, require_moderate

NOISES = ("flips", "gaussian")
#: Rarer flips have odds that do not fit into 64-bit whole numbers.
RAREST = 1e-6


@dataclass(frozen=True)
class NoisyRecords(ExactMechanism):
    """Publish every record with noise: its label flipped at times, and its features flipped or blurred.

    The veils of Barber (section 6) on both sides of a record. Flips are drawn from whole numbers without rounding, fit
    for real releases; Gaussian noise is for simulation only.

    Parameters
    ----------
    label_flip : float or pair of float
        How often labels are flipped: one probability, or (negative to positive, positive to negative).
    input_noise : float
        With ``noise="flips"`` the probability that a feature is replaced by another of its `states`; with
        ``noise="gaussian"`` the variance of what is added. With 0 features are published as they are.
    noise : {"flips", "gaussian"}
        What `input_noise` means, for features that are states 0 … `states` − 1 or real numbers.
    states : int
        How many states a feature has (flips only), from the two of a binary one to 256.
    testing : bool, default False
        Whether a numpy generator, whose noise can be drawn again, is taken for flips.

    Examples
    --------
    Four binary features and a label that mostly repeats the first of them:

    >>> from numpy.random import default_rng
    >>> from unveil import NoisyRecords, SpreadLogisticRegression
    >>> rng = default_rng(0)
    >>> X = rng.integers(0, 2, (2000, 4))
    >>> y = X[:, 0] ^ (rng.random(2000) < 0.1)
    >>> release = NoisyRecords(0.2, 0.1).publish((X, y))
    >>> release.records, release.randomness, round(release.exact_epsilon, 2)
    (2000, 'os', 10.18)
    >>> bool(SpreadLogisticRegression(rate=5.0, random_state=0).fit(release).score(X, y) > 0.85)
    True

    See Also
    --------
    SpreadLogisticRegression : learns from the release.
    LabelFlips, PixelFlips, GaussianInputNoise, ExactResponse : the parts.
    """

    local: ClassVar[bool] = True

    label_flip: float | tuple[float, float]
    input_noise: float
    noise: str = "flips"
    states: int = 2

    def _check_parameters(self) -> None:
        up, down = self.label_flips
        for flip in (up, down):
            require(_is_flip(flip), f"label_flip must be 0, or lie in [{RAREST:g}, 1), not {self.label_flip}")
        require(
            not isclose(up + down, 1, abs_tol=1e-6),
            "label_flip must not sum to 1: labels that are right as often by chance carry nothing",
        )
        require(self.noise in NOISES, f"noise must be one of {', '.join(NOISES)}, not {self.noise!r}")
        require(2 <= self.states <= 256, f"states must be between 2 and 256, not {self.states}")
        if self.noise == "gaussian":
            require(0 <= self.input_noise < inf, "input_noise must be a variance: finite and not negative")
            object.__setattr__(self, "fit_for_release", self.input_noise == 0)
        else:
            known = _is_flip(self.input_noise) and self.input_noise < 1 - 1 / self.states - 1e-6
            require(known, f"input_noise must be 0, or lie in [{RAREST:g}, 1 - 1/states), not {self.input_noise}")

    @property
    def label_flips(self) -> tuple[float, float]:
        """How often a negative label is flipped, and a positive one."""
        given = as_numbers(self.label_flip, "label_flip").reshape(-1)
        require(len(given) in (1, 2), "label_flip must be one probability or a pair (negative, positive)")
        return float(given[0]), float(given[-1])

    @property
    def label_epsilon(self) -> float:
        """The exact level of a label; infinite where a report is certain to be true."""
        (to_one, one), (to_zero, zero) = (_chances(flip, 2) for flip in self.label_flips)
        return max(_log_ratio(one, to_zero), _log_ratio(to_one, zero))

    @property
    def input_epsilon(self) -> float:
        """The exact level of a feature; infinite for features in the clear, and for Gaussian noise on any numbers."""
        if self.noise == "gaussian":
            return inf
        return _level(self.input_noise, self.states)

    def record_epsilon(self, columns: Sequence[int]) -> float:
        """The exact level of a record whose columns make so many features each: a number, or a category's bits."""
        bits = 2 * sum(width > 1 for width in columns)
        numbers = self.input_epsilon * (len(columns) - bits // 2)
        of_bits = bits * (inf if self.noise == "gaussian" else _level(bit_flip(self.input_noise, self.states), 2))
        return self.label_epsilon + (numbers if len(columns) > bits // 2 else 0.0) + (of_bits if bits else 0.0)

    def release(self, X: ArrayLike, y: ArrayLike, rng: RandomBytes) -> tuple[Array, Array]:
        """Features (n, d), which are states from 0 or real numbers, and labels (n,), 0 or 1; both noisy."""
        source = self._source(rng)
        features, labels = as_array(X, "X"), as_array(y, "y")
        require(features.ndim == 2 and features.size > 0, "X must have shape (n, d)")
        require(labels.shape == (len(features),), f"y must have shape ({len(features)},), one label a row of X")
        return self._draw(features, find_positives(labels, (0, 1)), source)

    def publish(
        self,
        data: Data,
        rng: RandomBytes | Generator | None = None,
        classes: Sequence[Any] = (0, 1),
        columns: Sequence[int] | None = None,
        *,
        ledger: Budget | None = None,
        records: str = "",
    ) -> Release:
        """Noisy features and labels, as a release of the protocol "records".

        Parameters
        ----------
        data : (X, y), or an iterable of such pairs
            The private features and labels.
        rng, ledger, records
            As `unveil.mechanisms.base.Mechanism` says.
        classes : pair
            What the negative and the positive label are called, whether or not the data hold both.
        columns : sequence of int, optional
            How many features each column makes (flips only): one, or a category's several bits, of which one at most is
            set. Two records differ in two bits of a category, so these are flipped at half of a number's level each.

        Returns
        -------
        Release
            `features` as they were blurred, and `labels`, 1 for the positive one. Its level is that of a whole record.
        """
        source, names = self._source(rng), check_classes(classes)
        widths = None if columns is None else [int(width) for width in columns]
        parts = [self._draw(X, find_positives(y, names), source, widths) for X, y in cut_batches(data)]
        require(len(parts) > 0, "X must have at least one row")
        features, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        widths = [1] * features.shape[1] if widths is None else widths
        label_epsilon = self.label_epsilon if isfinite(self.label_epsilon) else None
        return Release(
            protocol="records",
            mechanism=type(self).__name__,
            parameters={
                "label_flip": list(self.label_flips),
                "input_noise": self.input_noise,
                "noise": self.noise,
                "states": self.states,
                "classes": list(names),
                "label_epsilon": label_epsilon,
                **({"columns": widths} if self.noise == "flips" else {}),
            },
            arrays={"features": features, "labels": labels},
            records=len(labels),
            exact_epsilon=self.record_epsilon(widths),
            randomness=describe_randomness(source),
        ).charge(ledger, records)

    def _draw(
        self, X: Array, positive: Array, source: RandomBytes, columns: Sequence[int] | None = None
    ) -> tuple[Array, Array]:
        """Everything is checked before the first flip is drawn."""
        labels = positive.astype(np.uint8, casting="same_kind")
        if self.noise == "gaussian":
            features = as_reals(X, "X").astype(float, copy=False) if X.dtype != np.float32 else X
            require_moderate(features, "X", 1e15 if X.dtype == np.float32 else 1e100)
            if isinstance(source, Generator) and not self.fit_for_release:
                noisy = GaussianInputNoise(self.input_noise).release(features, source)
                return noisy, LabelFlips(*self.label_flips).release(labels, source)
            return features, _flip_labels(labels, self.label_flips, source)
        states = _as_states(X, self.states)
        widths = columns or [1] * X.shape[1]
        require_categories(states, widths)
        bits = np.repeat(np.greater(widths, 1), widths)
        noisy = _flip(states[:, ~bits], self.input_noise, self.states, source)
        if bits.any():
            numbers, noisy = noisy, np.empty_like(states)
            noisy[:, ~bits] = numbers
            noisy[:, bits] = _flip(states[:, bits], bit_flip(self.input_noise, self.states), 2, source)
        return noisy, _flip_labels(labels, self.label_flips, source)


def _is_flip(flip: float) -> bool:
    return flip == 0 or RAREST <= flip < 1


def _level(flip: float, states: int) -> float:
    """That of an entry that is replaced so often by one of its other states."""
    away, own = _chances(flip, states)
    return _log_ratio(own, away / (states - 1))


def _as_states(X: Array, states: int) -> Array:
    """Whole numbers from 0, which may be written as real ones."""
    values = as_reals(X, "X")
    within = bool((values >= 0).all() and (values < states).all())
    require(within, f"X must hold states from 0 to {states - 1}; take noise='gaussian' for real numbers")
    whole = as_whole(values, "X", np.uint8)
    require(bool((whole == values).all()), "X must hold whole states; take noise='gaussian' for real numbers")
    return whole


def _weight(flip: float, states: int) -> int:
    """The weight of the true answer beside `UNIT` for each false one; rounded towards more noise."""
    odds = (1 - Fraction(flip)) * (states - 1) / Fraction(flip) * UNIT
    return int(odds) if odds >= UNIT else -int(-odds // 1)


def _chances(flip: float, states: int) -> tuple[Fraction, Fraction]:
    """The exact probabilities of all false answers together, and of the true one."""
    if flip == 0:
        return Fraction(0), Fraction(1)
    false = (states - 1) * UNIT
    whole = _weight(flip, states) + false
    return Fraction(false, whole), 1 - Fraction(false, whole)


def _log_ratio(one: Fraction, other: Fraction) -> float:
    """The size of the logarithm of two probabilities' ratio, rounded up."""
    low, high = sorted((one, other))
    return log_above(high / low) if low > 0 else inf


def _flip(states: Array, flip: float, number: int, source: RandomBytes) -> Array:
    if flip == 0:
        return states.copy()
    reports = weighted_choice(states, number, _weight(flip, number), UNIT, source)
    return as_whole(reports, "X", np.uint8)


def _flip_labels(labels: Array, flips: tuple[float, float], source: RandomBytes) -> Array:
    noisy = np.empty_like(labels)
    for label, flip in enumerate(flips):
        mine = labels == label
        noisy[mine] = _flip(labels[mine], flip, 2, source)
    return noisy
