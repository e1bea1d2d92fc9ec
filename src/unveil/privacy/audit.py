"""An empirical lower bound on the privacy loss of any release, from its samples alone.

If a release is (ε, δ)-private, then P[A] ≤ e^ε Q[A] + δ for every event A, where P and Q are its laws on two
neighbouring inputs. So one event, counted on fresh releases of both inputs, bounds ε from below with a confidence
that holds for any release whatever. The event may be chosen in any way, as long as it is chosen on other
samples: here as the set where a likelihood ratio is large, given or learned. Where several scores stand for that
ratio, each chooses an event of its own, all are counted on the same fresh samples, and the allowed error is split.

What an audit does not find it does not rule out. `Audit.detection_limit` and `Audit.smallest_leak` say what so many
samples would have shown of an event that a score does find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import exp, inf, log
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from unveil.errors import require, require_number
from unveil.privacy import detection
from unveil.privacy.detection import lower_limit, upper_limit
from unveil.privacy.learned_ratio import learn_log_ratio, quantile_edges
from unveil.types import Array, Floats

#: release(input, n, rng): n independent releases of one input, along the first axis.
Sampler: TypeAlias = Callable[[Any, int, Generator], ArrayLike]
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
    tests : int
        How many events were counted, of which this one proves most: the allowed error is split among them.
    score : str
        What chose the event: "values", "functions" or "trees", which are learned, or the name of a given score.
    pair : int
        Which pair of neighbours was counted: 0 is the first.

    Examples
    --------
    >>> from unveil import Audit
    >>> audit = Audit(hits=37_464, misses=12_431, n=50_000, delta=0.0, confidence=0.999)
    >>> round(audit.epsilon_low, 3), audit.refutes(1.0), round(audit.delta_low(0.5), 3)
    (1.069, True, 0.322)

    Had the release lost less than this, 50,000 releases would not have been sure to show it:

    >>> round(audit.detection_limit, 3), f"{audit.smallest_leak:.1e}"
    (0.041, '5.3e-04')

    A secret in the parity of 24 bits is found by those who know where to look:

    >>> def parity(bits):
    ...     return bits.sum(axis=1) % 2
    >>> def odd_or_even(secret, n, rng):
    ...     bits = rng.integers(0, 2, (n, 24))
    ...     bits[:, 0] ^= (parity(bits) != secret) & (rng.random(n) < 0.9)
    ...     return bits
    >>> from numpy.random import default_rng
    >>> from unveil import audit_release
    >>> blind, told = (
    ...     audit_release(odd_or_even, 1, 0, n=20_000, rng=default_rng(0), score=score) for score in (None, parity)
    ... )
    >>> blind.epsilon_low, round(told.epsilon_low, 1), told.score
    (0.0, 2.6, 'parity')

    See Also
    --------
    audit_release : makes one.
    """

    hits: int
    misses: int
    n: int
    delta: float
    confidence: float
    tests: int = 1
    score: str = ""
    pair: int = 0

    @property
    def _error(self) -> float:
        """With this probability either limit of either event's probability may fail."""
        return (1 - self.confidence) / (2 * self.tests)

    def _limits(self) -> tuple[float, float]:
        """P[A] at least, and Q[A] at most."""
        return float(lower_limit(self.hits, self.n, self._error)), float(upper_limit(self.misses, self.n, self._error))

    @property
    def epsilon_low(self) -> float:
        """The release is not (ε, δ)-private for any ε below this."""
        likely, unlikely = self._limits()
        return max(log((likely - self.delta) / unlikely), 0.0) if likely > self.delta else 0.0

    def delta_low(self, epsilon: float) -> float:
        """The release is not (`epsilon`, δ)-private for any δ below this."""
        require(epsilon >= 0, "epsilon must not be negative")
        likely, unlikely = self._limits()
        return max(likely - exp(min(epsilon, 700.0)) * unlikely, 0.0)  # the upper limit is never 0

    def refutes(self, epsilon: float) -> bool:
        """Whether a claim of (`epsilon`, δ) is refuted."""
        return self.epsilon_low > epsilon

    @property
    def detection_limit(self) -> float:
        """The smallest ε that so many samples show with 95 %, by an event of probability one half; ∞ if none.

        Shown means: `epsilon_low` is above 0. It supposes that a score finds the event.
        """
        return detection.detection_limit(self.n, self.delta, self._error)

    @property
    def smallest_leak(self) -> float:
        """The smallest probability of an event of one neighbour only that is shown likewise; ∞ if none is."""
        return detection.smallest_leak(self.n, self.delta, self._error)


def audit_release(
    release: Sampler,
    here: Any,
    there: Any,
    *,
    n: int,
    rng: Generator,
    delta: float = 0.0,
    confidence: float = CONFIDENCE,
    log_ratio: LogRatio | None = None,
    score: LogRatio | Iterable[LogRatio] | None = None,
    pairs: Iterable[tuple[Any, Any]] = (),
) -> Audit:
    """Bound the ε of `release` on the neighbours `here` and `there` from below, in both directions.

    Parameters
    ----------
    release : callable
        Gives n independent releases of an input: `release(here, n, rng)`, of any shape and kind of number.
    here, there
        The two inputs, as `release` wants them.
    n, rng : int, numpy.random.Generator
        Releases of each input, half to choose events and half to count them; the source of all randomness.
    delta : float
        The δ at which ε is bounded; zero for pure privacy.
    confidence : float
        How sure the bound is. The default practically never accuses a correct mechanism.
    log_ratio : callable, optional
        Of samples, where known; else it is learned: by repeated values, as sums of functions, and by boosted trees.
    score : callable or several, optional
        Where else to look: numbers that are large where `here` is likelier. What is learned is tried all the same.
    pairs : iterable of pairs, optional
        More neighbours. A quarter of the releases then goes into finding the pair that tells most.

    Returns
    -------
    Audit
        What was counted; `epsilon_low` is the bound, `detection_limit` what so many samples would have shown.

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
    """
    _require_sizes(n, delta, confidence)
    chooser = _Chooser(_name_scores(log_ratio, score), log_ratio is None, int(n) // 2, delta, (1 - confidence) / 2)
    audits = _audits(release, [(here, there), *pairs], chooser, confidence, rng)
    return max(audits, key=lambda audit: audit.epsilon_low)


def _require_sizes(n: int, delta: float, confidence: float) -> None:
    require_number(n, "n", whole=True)
    require_number(delta, "delta")
    require_number(confidence, "confidence")
    require(n >= SMALLEST, f"n must be at least {SMALLEST}, to learn an event and to count it")
    require(0 <= delta < 1, "delta must lie in [0, 1)")
    require(0 < confidence < 1, "confidence must lie strictly between 0 and 1")


def _audits(
    release: Sampler, neighbours: list[tuple[Any, Any]], chooser: _Chooser, confidence: float, rng: Generator
) -> list[Audit]:
    """One audit a score, of the pair of neighbours that promises most."""
    half = chooser.n
    pair, left = 0, half
    if len(neighbours) > 1:
        pilot = half // (2 * len(neighbours))
        require(pilot >= SMALLEST // 4, f"n must be at least {SMALLEST} for each of the pairs")
        promises = [chooser.promise(*_both(release, *each, pilot, rng), rng) for each in neighbours]
        pair, left = int(np.argmax(promises)), half - half // 2
    events = chooser.events(*_both(release, *neighbours[pair], left, rng), rng)
    samples = _both(release, *neighbours[pair], half, rng)
    return [
        Audit(*event.count(*samples), half, chooser.delta, confidence, len(events), event.name, pair)
        for event in events
    ]


def _name_scores(log_ratio: LogRatio | None, score: LogRatio | Iterable[LogRatio] | None) -> list[tuple[str, LogRatio]]:
    """The scores that the caller gives, by name."""
    extra = [] if score is None else [score] if callable(score) else list(score)
    require(all(callable(each) for each in extra), "score must be a function of samples, or several of them")
    scores = extra if log_ratio is None else [log_ratio, *extra]
    return [(str(getattr(each, "__name__", type(each).__name__)), each) for each in scores]


def _both(release: Sampler, here: Any, there: Any, n: int, rng: Generator) -> tuple[Array, Array]:
    samples = np.asarray(release(here, n, rng)), np.asarray(release(there, n, rng))
    for sample in samples:
        require(sample.ndim >= 1 and len(sample) == n, f"release must return n = {n} releases along its first axis")
    require(samples[0].shape == samples[1].shape, "release must return the same shape for both inputs")
    return samples


@dataclass(frozen=True)
class _Event:
    """The releases whose score lies above `threshold` (below it, where the inputs are swapped)."""

    name: str
    score: LogRatio
    threshold: float
    swapped: bool
    promise: float

    def count(self, first: Array, second: Array) -> tuple[int, int]:
        """How often it happened for the input that makes it likelier, and for the other one."""
        likely, unlikely = (second, first) if self.swapped else (first, second)
        return int(self._find(likely).sum()), int(self._find(unlikely).sum())

    def _find(self, samples: Array) -> Array:
        scores = _score_samples(self.score, samples)
        return np.asarray(scores < self.threshold if self.swapped else scores >= self.threshold)


@dataclass(frozen=True)
class _Chooser:
    """Chooses one event a score, from samples that are not counted: half of them teach, half of them choose."""

    given: list[tuple[str, LogRatio]]
    learns: bool
    n: int
    delta: float
    error: float

    def events(self, first: Array, second: Array, rng: Generator) -> list[_Event]:
        learned = learn_log_ratio(first[::2], second[::2], rng) if self.learns else {}
        scores = [*self.given, *learned.items()]
        error = self.error / len(scores)
        return [
            _best_event(name, score, first[1::2], second[1::2], self.n, self.delta, error) for name, score in scores
        ]

    def promise(self, first: Array, second: Array, rng: Generator) -> float:
        return max(event.promise for event in self.events(first, second, rng))


def _score_samples(score: LogRatio, samples: Array) -> Floats:
    scores: Floats = np.asarray(score(samples), dtype=float)
    require(scores.shape == (len(samples),), "score and log_ratio must return one number a sample")
    # A sample that neither input can make says nothing.
    return np.where(np.isnan(scores), 0.0, scores)


def _best_event(name: str, score: LogRatio, first: Array, second: Array, n: int, delta: float, error: float) -> _Event:
    """The threshold, and the direction, that promise the largest bound if `n` fresh samples look like these."""
    here, there = _score_samples(score, first), _score_samples(score, second)
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
        choices.append(_Event(name, score, float(edges[best]), swapped, float(promises[best])))
    return max(choices, key=lambda event: event.promise)


def _promise(hits: Floats, misses: Floats, n: int, delta: float, error: float) -> Floats:
    """The lower bound of ε for each candidate; where there is none, how far it is from one."""
    likely = lower_limit(hits, n, error) - delta
    unlikely = upper_limit(misses, n, error)
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.log(likely / unlikely)
    result: Floats = np.where(likely > 0, bound, likely - 1e3)
    return np.where(np.isnan(result), -inf, result)
