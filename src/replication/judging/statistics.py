"""From scores to observations: paired differences over trials, numbers, and exact margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import hypot, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from replication.judging.verdicts import CannotTell, Form, Observation

#: All intervals of one claim cover together with this probability (Bonferroni).
LEVEL = 0.95
#: Fewer trials give no interval worth the name.
FEWEST = 3

Interval = tuple[float, float, float]
VOID: Interval = (nan, nan, nan)


@dataclass(frozen=True, eq=False)
class Exact(Observation):
    """A value without randomness: its interval is a point."""

    value: float
    trials = 0

    def interval(self, tail: float) -> Interval:  # noqa: ARG002 - whatever it is, the interval is a point
        """The value itself."""
        return self.value, self.value, self.value


@dataclass(frozen=True, eq=False)
class Sampled(Observation):
    """One value a trial, and the variance `shared` by all trials, which more of them do not average out.

    `fallback` stands for the trials' standard deviation where they are all the same: that is a chance event, too.
    `records` is how many records had the same outcome in each trial, where all trials are the same because of that.
    """

    values: pd.Series
    shared: float = 0.0
    span: float | None = None
    fallback: float = nan
    records: int = 1

    @property
    def trials(self) -> int:
        """How many trials have a value."""
        return len(self.values)

    @cached_property
    def spread(self) -> float:
        """The standard deviation over trials, zero where they differ by rounding only."""
        spread = float(self.values.std(ddof=1))
        return spread if spread > 1e-12 * float(self.values.abs().max()) else 0.0

    def interval(self, tail: float) -> Interval:
        """Student's interval, with what all trials share added in quadrature."""
        if not self.trials:
            return VOID
        mean = float(self.values.mean())
        half = hypot(self._half(tail), -float(ndtri(tail)) * sqrt(self.shared))
        return mean, mean - half, mean + half

    def _half(self, tail: float) -> float:
        if not self.spread and self.span is not None:
            # What happens to a share p of all records stays unseen in n of them with probability (1 − p)ⁿ.
            return self.span * float(1 - tail ** (1 / (self.trials * self.records)))
        spread = self.spread or self.fallback
        if np.isnan(spread):
            raise CannotTell(f"all trials are the same at {self.setting}: chance cannot be told from them")
        return -float(stdtrit(self.trials - 1, tail)) * spread / sqrt(self.trials)


@dataclass(frozen=True, eq=False)
class Estimated(Observation):
    """A value with a standard error that comes with it, from so many trials."""

    value: float
    error: float
    count: int

    @property
    def trials(self) -> int:
        """How many there were."""
        return self.count

    def interval(self, tail: float) -> Interval:
        """Student's interval."""
        half = -float(stdtrit(max(self.trials - 1, 1), tail)) * self.error
        return self.value, self.value - half, self.value + half


def rows(scores: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """The rows whose columns have the wanted values (one, or any of a list)."""
    kept = np.ones(len(scores), dtype=bool)
    for column, value in wanted.items():
        values = value if isinstance(value, list | tuple) else [value]
        kept &= scores[column].isin(values).to_numpy()
        if not kept.any():
            raise CannotTell(f"the scores have no rows with {column} = {' or '.join(map(str, values))}")
    return scores[kept]


def exactly(margins: Mapping[str, float], form: Form = Form.MORE, slack: float = 0.0) -> list[Observation]:
    """Margins without randomness; `slack` is what rounding may take from a bound that is attained."""
    return [Exact(setting, float(value) + slack, form=form) for setting, value in margins.items()]


def least(values: pd.Series, by: Any, says: str, slack: float = 0.0) -> list[Observation]:
    """The least value in each group of `by` (a column, or several); `says` is the setting in words, as `d = {:g}`."""
    groups = ((key if isinstance(key, tuple) else (key,), group.min()) for key, group in values.groupby(by))
    return exactly({says.format(*key): value for key, value in groups}, slack=slack)


def slopes(table: pd.DataFrame, x: Any = None) -> pd.Series:
    """The least-squares slope of each trial (a row) over `x`, by default its columns."""
    if table.shape[1] < 2:
        raise CannotTell("there are fewer than two points with a result")
    at = table.columns if x is None else x
    return pd.Series(np.polyfit(at, table.to_numpy().T, 1)[0], index=table.index)


def over_trials(
    samples: Mapping[str, Any],
    form: Form = Form.MORE,
    shared: float | Mapping[str, float] = 0.0,
    span: float | None = None,
    records: Mapping[str, int] | None = None,
) -> list[Observation]:
    """The mean of each setting's samples (a series by trial); a setting without samples has nothing to show.

    `shared` is the variance that all trials of a setting have in common: they were tested on one test set, or drawn
    from one exhausted pool. `span` is how far apart two trials can lie; where all are the same, their variance is not
    zero but unseen, and follows from it or, where it is not known, from the claim's other settings. `records` says, by
    setting, how many independent records a trial has where the outcome was the same for each of them.
    """
    found = {setting: pd.Series(values, dtype=float) for setting, values in samples.items()}
    sizes = [len(values) for values in found.values() if len(values)]
    if not sizes:
        raise CannotTell("the method has no result in any setting")
    if min(sizes) < FEWEST:
        raise CannotTell(f"too few trials for an interval: {min(sizes)}")
    spreads = np.array([spread for setting, values in found.items() if (spread := Sampled(setting, values).spread)])
    fallback = float(np.sqrt(np.mean(spreads**2))) if len(spreads) else nan
    return [
        Sampled(
            setting,
            values,
            form=form,
            shared=shared.get(setting, 0.0) if isinstance(shared, Mapping) else shared,
            span=span,
            fallback=fallback,
            records=(records or {}).get(setting, 1),
        )
        for setting, values in found.items()
    ]


def alike(samples: Mapping[str, Any], span: float | None = None) -> list[Observation]:
    """Differences that are claimed to be zero."""
    return over_trials(samples, Form.SAME, span=span)


def number(setting: str, samples: Any, printed: float, rounding: float, shared: float = 0.0) -> Observation:
    """A number beside the one that is printed, known up to `rounding`: over trials, or a single exact value."""
    known: dict[str, Any] = {"form": Form.PRINTED, "printed": printed, "rounding": rounding}
    if isinstance(samples, int | float):
        return Exact(setting, float(samples), **known)
    values = pd.Series(samples, dtype=float)
    if len(values) < FEWEST:
        raise CannotTell(f"too few trials for an interval: {len(values)}")
    return Sampled(setting, values, shared, **known)


def estimated(values: Mapping[str, tuple[float, float]], trials: int, form: Form = Form.MORE) -> list[Observation]:
    """Values that come with a standard error each, from so many trials: (value, error) by setting."""
    return [Estimated(setting, value, error, trials, form=form) for setting, (value, error) in values.items()]


def differences(
    scores: pd.DataFrame, value: str, more: Mapping[str, Any], less: Mapping[str, Any], by: Sequence[str]
) -> dict[str, pd.Series]:
    """`value` in the rows `more` minus that in the rows `less`, paired by trial, in each setting of `by`."""
    first, second = (by_trial(rows(scores, **chosen), value, by) for chosen in (more, less))
    settings = dict.fromkeys([*first, *second])
    empty = pd.Series(dtype=float)
    return {setting: (first.get(setting, empty) - second.get(setting, empty)).dropna() for setting in settings}


def by_trial(scores: pd.DataFrame, value: str, by: Sequence[str]) -> dict[str, pd.Series]:
    """The mean of `value` by trial, in each setting."""
    if not by:
        return {"overall": scores.groupby("trial")[value].mean()}
    return {name(by, keys): part.groupby("trial")[value].mean() for keys, part in scores.groupby(list(by), sort=True)}


def name(by: Sequence[str], keys: Any) -> str:
    """A setting in words: `alpha = 0.3, window = 5`."""
    values = keys if isinstance(keys, tuple) else (keys,)
    return ", ".join(
        f"{column.replace('_', ' ')} = {value:g}" if isinstance(value, int | float | np.number) else f"{value}"
        for column, value in zip(by, values, strict=True)
    )


def one_test_set(accuracies: Sequence[float], records: int) -> float:
    """The most variance that a test set of so many records, one for all trials, gives a sum of such accuracies.

    The accuracies are shares; their errors are taken as independent, though methods tend to err on the same records.
    """
    return float(sum(share * (1 - share) for share in accuracies)) / records


def simultaneous_tail(observations: Sequence[Observation]) -> float:
    """The probability on either side of an interval, so that the intervals of all random settings hold at once."""
    return (1 - LEVEL) / 2 / max(1, sum(observation.trials > 0 for observation in observations))


def pool(observations: Sequence[Observation]) -> Interval:
    """The mean effect over settings with an interval of its own: pooled by trial, where all were seen in trials.

    Trials that settings have in common may depend on each other, so each trial is averaged first. What cannot be
    averaged so gets the mean of the simultaneous intervals, which covers at least as often.
    """
    shown = [seen for seen in observations if not np.isnan(seen.interval(0.25)[0])]
    if not shown:
        return VOID
    sampled = [seen for seen in shown if isinstance(seen, Sampled)]
    if len(sampled) == len(shown):
        table = pd.concat([seen.values for seen in sampled], axis=1).dropna()
        if len(table) >= FEWEST and len(table) == min(seen.trials for seen in sampled):
            # One test set serves all settings: what they share may be the same error in each.
            shared = float(np.mean([sqrt(seen.shared) for seen in sampled])) ** 2
            means, first = table.mean(axis=1), sampled[0]
            records = min(seen.records for seen in sampled)
            whole = Sampled("", means, shared=shared, span=first.span, fallback=first.fallback, records=records)
            return whole.interval((1 - LEVEL) / 2)
    tail = simultaneous_tail(observations)
    effect, low, high = np.mean([seen.interval(tail) for seen in shown], axis=0)
    return float(effect), float(low), float(high)
