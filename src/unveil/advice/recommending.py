"""Which veil, and which estimator: all that apply are tried on data of the same shape, and ranked."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from typing import TypeAlias

import numpy as np
from numpy.random import Generator, default_rng
from scipy.special import stdtrit

from unveil.advice import TASKS as MEASURES
from unveil.advice.tasks import TASKS, candidates_of
from unveil.errors import is_real, is_whole, require
from unveil.protocols.base import find_protocol
from unveil.protocols.candidates import Candidate, Learner
from unveil.types import Array, as_numbers

#: The name of a protocol, one of its mechanisms, and one of those that learn through it.
Arm: TypeAlias = tuple[str, Candidate, Learner]

LEVEL = 0.95
#: What is private, by what a protocol protects.
PRIVATE = {
    "label": "private is the label alone, the other columns are public",
    "record": "private is the whole record",
    "nothing": "no privacy is promised",
}
#: The smallest difference of errors that would matter.
MATTERS = 0.01


@dataclass(frozen=True)
class Option:
    """One veil with one estimator, and what is to be expected of them: means of the trials, intervals of 95 %."""

    mechanism: str
    estimator: str
    error: float
    low: float
    high: float
    #: The exact level of the release, and the computing time of one release and fit.
    epsilon: float
    delta: float
    seconds: float
    #: Whether the estimator takes what was released for the data themselves.
    ignores: bool
    #: Whether it is no choice but a yardstick: no veil, or nothing seen.
    bound: bool
    #: What does it; empty where no exact mechanism does.
    commands: tuple[str, ...]
    #: Who may see the table, and what is private; empty of a yardstick.
    setting: str = ""


@dataclass(frozen=True)
class Recommendation:
    """All options in the order of their errors, the best first, what is called error, and what the trials show.

    What holds is said for each answer to: who may see the table, and what is private?
    """

    options: tuple[Option, ...]
    measure: str
    verdicts: Mapping[str, str]

    @property
    def best(self) -> Option:
        """The best choice that the command can make, whoever may see the table."""
        return next(option for option in self.options if option.commands)

    def of(self, setting: str) -> list[Option]:
        """The options of one such answer, and the yardsticks."""
        return [option for option in self.options if option.setting in (setting, "")]

    def __str__(self) -> str:
        """A table and a verdict for each answer."""
        parts = ["Who may see the table, and what is private?"] if len(self.verdicts) > 1 else []
        for setting, verdict in self.verdicts.items():
            commands = next(option.commands for option in self.of(setting) if option.commands)
            parts.append("\n".join([f"{setting}:", *self._table(self.of(setting))]))
            parts.append("\n".join([verdict, *(f"  {command}" for command in commands)]))
        return "\n\n".join(parts)

    def _table(self, options: Sequence[Option]) -> list[str]:
        head = ("mechanism", "estimator", self.measure, "95 %", "epsilon", "delta", "CPU s")
        rows = [head, *map(_cells, options)]
        widths = [max(len(row[place]) for row in rows) for place in range(len(head))]
        return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def recommend(
    n: int,
    d: int,
    task: str,
    epsilon: float,
    sets: int = 20,
    trials: int = 8,
    like: tuple[Array, Array] | None = None,
    seed: int = 0,
    progress: Callable[[float], object] | None = None,
) -> Recommendation:
    """Which veil and which estimator to take, by trying all that apply on data of the same shape.

    Private data are never looked at: the data are synthetic, or rows drawn from a table that is public. What is ranked
    is the expected error at ε, over fresh data and fresh noise.

    Parameters
    ----------
    n, d : int
        How many records (words for "tags"), and how many features.
    task : {"classify", "regress", "ratios", "tags"}
        What is to be learned.
    epsilon : float
        The level that one record may be released at; "tags" promise none.
    sets : int
        How many sets the records come in, for "ratios".
    trials : int
        How often everything is tried, at least 3.
    like : (X, y), optional
        A public table to draw from: features in [0, 1], and classes 0 and 1 (or for "regress" a target in [0, 1]).
    seed : int
        Where the trials come from.
    progress : callable, optional
        Told which share is done.

    Returns
    -------
    Recommendation
        A table: mechanism, estimator, expected error with interval, exact ε, seconds.

    Examples
    --------
    >>> from unveil import recommend
    >>> found = recommend(20_000, 2, "regress", epsilon=4.0, trials=3)
    >>> [option.mechanism for option in found.options if option.bound]
    ['no veil', 'nothing seen']
    >>> found.best.mechanism
    'ExactMoments, Gaussian'

    See Also
    --------
    Release, audit_release
    """
    _require_arguments(n, d, task, epsilon, sets, trials)
    data = None if like is None else _check_public(like, task, d)
    arms = [
        (protocol, candidate, learner)
        for protocol, candidate in candidates_of(task, float(epsilon), d)
        for learner in candidate.learners
    ]
    options, errors = _try_all(task, arms, lambda rng: TASKS[task].draw(n, d, sets, data, rng), trials, seed, progress)
    ranked = tuple(sorted(options, key=lambda option: option.error))
    verdicts = {}
    for setting in dict.fromkeys(option.setting for option in options if option.commands):
        places = [place for place, option in enumerate(options) if option.setting in (setting, "")]
        verdicts[setting] = _verdict([options[place] for place in places], errors[:, places], MATTERS)
    return Recommendation(ranked, MEASURES[task], verdicts)


def _try_all(
    task: str,
    arms: list[Arm],
    draw: Callable[[Generator], object],
    trials: int,
    seed: int,
    progress: Callable[[float], object] | None,
) -> tuple[list[Option], Array]:
    """Every arm on the same worlds, one a trial: what is to be expected of each, and all errors (trials, arms)."""
    errors, seconds = np.empty((trials, len(arms))), np.zeros(len(arms))
    levels: dict[int, tuple[float, float]] = {}
    veils = list(dict.fromkeys(candidate.mechanism for _, candidate, _ in arms))
    for turn in range(trials):
        world = draw(default_rng([seed, turn]))
        for place, (_, candidate, learner) in enumerate(arms):
            # All learners of a veil see the same release: it is drawn again from the same seed.
            rng = default_rng([seed, turn, veils.index(candidate.mechanism)])
            began = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of fits at the edge of what can be learned, which is the question
                released = candidate.publish(world, rng)
                errors[turn, place] = TASKS[task].error(learner.predict(released, world), world)
            if turn:  # the first also compiles
                seconds[place] += (time.process_time() - began) / (trials - 1)
            levels[place] = candidate.level or (released.exact_epsilon, released.exact_delta)
            if progress:
                progress((turn * len(arms) + place + 1) / errors.size)
    options = [_option(*arm, errors[:, k], levels[k], float(seconds[k])) for k, arm in enumerate(arms)]
    return options, errors


def _require_arguments(n: int, d: int, task: str, epsilon: float, sets: int, trials: int) -> None:
    require(task in TASKS, f"task must be one of {', '.join(TASKS)}, not {task!r}")
    for name, value, least in (("n", n, 20), ("d", d, 1), ("sets", sets, 2), ("trials", trials, 3)):
        require(is_whole(value) and value >= least, f"{name} must be a whole number of at least {least}, not {value!r}")
    require(is_real(epsilon) and 1e-3 <= epsilon <= 20, f"epsilon must be a number from 0.001 to 20, not {epsilon!r}")
    require(task != "ratios" or n >= 2 * sets, "n must be at least two records a set")


def _check_public(like: tuple[Array, Array], task: str, d: int) -> tuple[Array, Array]:
    require(task != "tags", "like does not apply to tags: their text is synthetic")
    X, y = as_numbers(like[0], "like"), as_numbers(like[1], "like")
    require(X.ndim == 2 and y.shape == (len(X),) and len(X) >= 20, "like must be (X, y) with at least 20 rows")
    require(X.shape[1] == d, f"like must have d = {d} features, got {X.shape[1]}")
    require(bool(((X >= 0) & (X <= 1)).all()), "like must have features in [0, 1]")
    classes = task == "regress" or set(np.unique(y)) == {0.0, 1.0}
    require(classes, "like must have classes 0 and 1")
    require(bool(((y >= 0) & (y <= 1)).all()), "like must have a target in [0, 1]")
    return X, y if task == "regress" else y.astype(np.int64)


def _option(
    protocol: str, candidate: Candidate, learner: Learner, errors: Array, level: tuple[float, float], seconds: float
) -> Option:
    low, high = _interval(errors)
    estimator = ", ".join([learner.name, *learner.settings]) + (" (ignores the veil)" if learner.ignores else "")
    commands: tuple[str, ...] = ()
    if candidate.command and not learner.ignores:
        known = find_protocol(protocol)
        public = " PUBLIC" if known.with_public else ""
        chosen = "" if known.learners[0].endswith(f":{learner.name}") else f" --estimator {learner.name}"
        settings = "".join(f" --set {setting}" for setting in learner.settings)
        commands = (
            f"unveil release {protocol} {candidate.command} --out RELEASE",
            f"unveil fit {protocol} RELEASE{public}{chosen}{settings} --model MODEL",
        )
    expected = float(errors.mean()), max(low, 0.0), high  # no error is below zero, however few the trials
    bound = candidate.level is not None
    levels = (*expected, *level, seconds, learner.ignores, bound)
    return Option(candidate.mechanism, estimator, *levels, commands, describe_setting(protocol))


def describe_setting(protocol: str) -> str:
    """Who may see the table, and what is private, where a protocol is for; nothing of a yardstick."""
    if not protocol:
        return ""
    known = find_protocol(protocol)
    who = "Nobody (each record is noised before it leaves its person)" if known.local else "A holder whom all trust"
    return f"{who}, {PRIVATE[known.protects]}"


def _interval(values: Array) -> tuple[float, float]:
    """Student's, for a mean."""
    half = stdtrit(len(values) - 1, (1 + LEVEL) / 2) * values.std(ddof=1) / sqrt(len(values))
    return float(values.mean() - half), float(values.mean() + half)


def _verdict(options: list[Option], errors: Array, matters: float) -> str:
    """Whether the best choice beats what can be had without any data, and what ignores its veil."""
    choices = [place for place, option in enumerate(options) if option.commands]
    best = min(choices, key=lambda place: options[place].error)
    nothing = next(place for place, option in enumerate(options) if option.bound and option.epsilon == 0)
    said = [f"Best: {options[best].mechanism} with {options[best].estimator}."]
    low, high = _interval(errors[:, nothing] - errors[:, best])
    if low <= 0:
        said.append(
            f"It is not shown to beat a guess without any data (gain {low:.3f} to {high:.3f}): more rows, or ε."
        )
    naive = [place for place, option in enumerate(options) if option.ignores]
    if naive:
        rival = min(naive, key=lambda place: options[place].error)
        low, high = _interval(errors[:, rival] - errors[:, best])
        if high < matters:
            said.append(f"Ignoring the veil does as well: {options[rival].mechanism} with {options[rival].estimator}.")
        elif low > 0:
            said.append(f"Ignoring the veil costs {low:.3f} to {high:.3f}.")
        else:
            said.append(f"Whether ignoring the veil does as well is open: it costs {low:.3f} to {high:.3f}.")
    return "\n".join(said)


def _cells(option: Option) -> tuple[str, ...]:
    level = "none" if option.epsilon == inf else f"{option.epsilon:.4g}"
    interval = f"{option.low:.3f} to {option.high:.3f}"
    delta = f"{option.delta:g}" if option.delta else ""
    real = option.mechanism if option.bound or option.commands or option.ignores else f"{option.mechanism} (simulation)"
    return real, option.estimator, f"{option.error:.3f}", interval, level, delta, f"{option.seconds:.2g}"
