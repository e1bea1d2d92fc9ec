"""An empirical lower bound on the privacy loss of any release, from its samples alone.

If a release is (ε, δ)-private, then P[A] ≤ e^ε Q[A] + δ for every event A, where P and Q are its laws on two
neighbouring inputs. So one event, counted on fresh releases of both inputs, bounds ε from below with a confidence
that holds for any release whatever. The event may be chosen in any way, as long as it is chosen on other
samples: here as the set where a likelihood ratio is large, given or learned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, inf, log
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require, require_number
from unveil.privacy.intervals import lower_limit, upper_limit
from unveil.privacy.learned_ratio import learn_log_ratio, quantile_edges
from unveil.types import Array, Floats

#: release(input, n, rng): n independent releases of one input, along the first axis.
Release: TypeAlias = Callable[[Any, int, Generator], ArrayLike]
#: What a sample says about which input it came from: log P/Q, or any increasing function of it.
LogRatio: TypeAlias = Callable[[Array], ArrayLike]

CONFIDENCE = 1 - 1e-6
#: Fewer samples than this leave nothing to learn an event from.
SMALLEST = 64


@dataclass(frozen=True)
class Audit:
    """How often an event happened among `n` fresh releases of each of two neighbours, and what that proves.

    Parameters
    ----------
    hits, misses : int
        How often it happened for the input that makes it likelier, and for the other one.
    n : int
        How many releases of each input were counted.
    delta : float
        The δ at which ε is bounded.
    confidence : float
        The bounds hold with this probability at least, whatever the release.

    Examples
    --------
    >>> from unveil import Audit
    >>> audit = Audit(hits=37_464, misses=12_431, n=50_000, delta=0.0, confidence=0.999)
    >>> round(audit.epsilon_low, 3), audit.refutes(1.0), round(audit.delta_low(0.5), 3)
    (1.069, True, 0.322)

    See Also
    --------
    audit_release : makes one.
    """

    hits: int
    misses: int
    n: int
    delta: float
    confidence: float

    def _limits(self) -> tuple[float, float]:
        """P[A] at least, and Q[A] at most: each may fail with half of the allowed probability."""
        error = (1 - self.confidence) / 2
        return float(lower_limit(self.hits, self.n, error)), float(upper_limit(self.misses, self.n, error))

    @property
    def epsilon_low(self) -> float:
        """The release is not (ε, δ)-private for any ε below this."""
        likely, unlikely = self._limits()
        return max(log((likely - self.delta) / unlikely), 0.0) if likely > self.delta else 0.0

    def delta_low(self, epsilon: float) -> float:
        """The release is not (`epsilon`, δ)-private for any δ below this."""
        require(epsilon >= 0, "epsilon must not be negative")
        likely, unlikely = self._limits()
        return max(likely - exp(epsilon) * unlikely, 0.0)

    def refutes(self, epsilon: float) -> bool:
        """Whether a claim of (`epsilon`, δ) is refuted."""
        return self.epsilon_low > epsilon


def audit_release(
    release: Release,
    here: Any,
    there: Any,
    *,
    n: int,
    rng: Generator,
    delta: float = 0.0,
    confidence: float = CONFIDENCE,
    log_ratio: LogRatio | None = None,
) -> Audit:
    """Bound the ε of `release` on the neighbours `here` and `there` from below, in both directions.

    Parameters
    ----------
    release : callable
        Gives n independent releases of an input: `release(here, n, rng)`, of any shape and kind of number.
    here, there
        The two inputs, as `release` wants them.
    n : int
        How many releases of each input are drawn: half to choose the event, half to count it.
    rng : numpy.random.Generator
        The source of all randomness.
    delta : float
        The δ at which ε is bounded; zero for pure privacy.
    confidence : float
        How sure the bound is. The default practically never accuses a correct mechanism.
    log_ratio : callable, optional
        The log-likelihood ratio of samples, where it is known; otherwise it is learned.

    Returns
    -------
    Audit
        What was counted; `epsilon_low` is the bound.

    Examples
    --------
    Randomised response that keeps a bit with probability 3/4 has the level log 3 = 1.099:

    >>> from numpy.random import default_rng
    >>> from unveil import RandomizedResponse, audit_release
    >>> def release(state, n, rng):
    ...     return RandomizedResponse(2, 0.5).release([state] * n, rng)
    >>> audit = audit_release(release, 0, 1, n=100_000, rng=default_rng(0))
    >>> round(audit.epsilon_low, 2), audit.refutes(1.0), audit.refutes(1.1)
    (1.06, True, False)

    See Also
    --------
    Audit
    """
    require_number(n, "n", whole=True)
    require_number(delta, "delta")
    require_number(confidence, "confidence")
    require(n >= SMALLEST, f"n must be at least {SMALLEST}, to learn an event and to count it")
    require(0 <= delta < 1, "delta must lie in [0, 1)")
    require(0 < confidence < 1, "confidence must lie strictly between 0 and 1")
    half = n // 2
    error = (1 - confidence) / 2
    first, second = _both(release, here, there, half, rng)
    scores = [log_ratio] if log_ratio is not None else learn_log_ratio(first[::2], second[::2])
    events = [_best_event(score, first[1::2], second[1::2], half, delta, error) for score in scores]
    event = max(events, key=lambda found: found.promise)
    likely, unlikely = _both(release, here, there, half, rng)
    if event.swapped:
        likely, unlikely = unlikely, likely
    return Audit(int(event.happened(likely).sum()), int(event.happened(unlikely).sum()), half, delta, confidence)


def _both(release: Release, here: Any, there: Any, n: int, rng: Generator) -> tuple[Array, Array]:
    samples = np.asarray(release(here, n, rng)), np.asarray(release(there, n, rng))
    for sample in samples:
        require(sample.ndim >= 1 and len(sample) == n, f"release must return n = {n} releases along its first axis")
    require(samples[0].shape == samples[1].shape, "release must return the same shape for both inputs")
    return samples


@dataclass(frozen=True)
class _Event:
    """The releases whose score lies above `threshold` (below it, where the inputs are swapped)."""

    score: LogRatio
    threshold: float
    swapped: bool
    promise: float

    def happened(self, samples: Array) -> Array:
        scores = _scored(self.score, samples)
        result: Array = scores < self.threshold if self.swapped else scores >= self.threshold
        return result


def _scored(score: LogRatio, samples: Array) -> Floats:
    scores: Floats = np.asarray(score(samples), dtype=float)
    require(scores.shape == (len(samples),), "log_ratio must return one number a sample")
    # A sample that neither input can make says nothing.
    return np.where(np.isnan(scores), 0.0, scores)


def _best_event(score: LogRatio, first: Array, second: Array, n: int, delta: float, error: float) -> _Event:
    """The threshold, and the direction, that promise the largest bound if `n` fresh samples look like these."""
    here, there = _scored(score, first), _scored(score, second)
    edges = quantile_edges(np.concatenate([here, there]))
    shares = [
        np.append(np.cumsum(np.bincount(np.searchsorted(edges, s, side="right"), minlength=len(edges) + 1)), len(s))
        for s in (here, there)
    ]
    # shares[·][i] samples lie below edges[i].
    below = [share[: len(edges)] / len(first) for share in shares]
    choices = []
    for swapped in (False, True):
        likely, unlikely = (below[1], below[0]) if swapped else (1 - below[0], 1 - below[1])
        promises = _promise(likely * n, unlikely * n, n, delta, error)
        best = int(np.argmax(promises))
        choices.append(_Event(score, float(edges[best]), swapped, float(promises[best])))
    return max(choices, key=lambda event: event.promise)


def _promise(hits: Floats, misses: Floats, n: int, delta: float, error: float) -> Floats:
    """The lower bound of ε for each candidate; where there is none, how far it is from one."""
    likely = lower_limit(hits, n, error) - delta
    unlikely = upper_limit(misses, n, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.log(likely / unlikely)
    result: Floats = np.where(likely > 0, bound, likely - 1e3)
    return np.where(np.isnan(result), -inf, result)
