"""From scores to findings: paired differences over trials with simultaneous intervals, and exact margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from replication.judging.verdicts import CannotTell, Finding
from unveil.types import Array

#: All intervals of one claim cover together with this probability (Bonferroni).
LEVEL = 0.95
#: Fewer trials give no interval worth the name.
FEWEST = 3


def rows(scores: pd.DataFrame, **wanted: Any) -> pd.DataFrame:
    """The rows whose columns have the wanted values (one, or any of a list)."""
    found = scores
    for column, value in wanted.items():
        values = value if isinstance(value, list | tuple) else [value]
        found = found[found[column].isin(values)]
        if found.empty:
            raise CannotTell(f"the scores have no rows with {column} = {' or '.join(map(str, values))}")
    return found


def over_trials(samples: Mapping[str, Array]) -> list[Finding]:
    """The mean of each setting's samples, with Student intervals that hold for all settings at once.

    A setting without samples has nothing to show.
    """
    present = [values for values in samples.values() if len(values)]
    if not present:
        raise CannotTell("the method has no result in any setting")
    fewest = min(map(len, present))
    if fewest < FEWEST:
        raise CannotTell(f"too few trials for an interval: {fewest}")
    tail = (1 - LEVEL) / 2 / len(present)
    findings = []
    for setting, values in samples.items():
        n = len(values)
        if not n:
            findings.append(Finding(setting, np.nan, np.nan, np.nan, fewest))
            continue
        mean = float(np.mean(values))
        half = float(stats.t.isf(tail, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
        findings.append(Finding(setting, mean, mean - half, mean + half, n))
    return findings


def exactly(margins: Mapping[str, float]) -> list[Finding]:
    """Margins without randomness: the interval is a point, n the number of settings."""
    return [
        Finding(setting, float(value), float(value), float(value), len(margins)) for setting, value in margins.items()
    ]


def equal(gap: float, within: float) -> float:
    """The margin of an equality: 1 where it is exact, 0 where `within` is used up, beyond that what it misses by."""
    return float(1 - abs(gap) / within if abs(gap) <= within else within - abs(gap))


def differences(
    scores: pd.DataFrame, value: str, more: Mapping[str, Any], less: Mapping[str, Any], by: Sequence[str]
) -> dict[str, Array]:
    """`value` in the rows `more` minus that in the rows `less`, paired by trial, in each setting of `by`."""
    first, second = (_cells(rows(scores, **chosen), value, by) for chosen in (more, less))
    settings = dict.fromkeys([*first, *second])
    empty = pd.Series(dtype=float)
    return {
        setting: (first.get(setting, empty) - second.get(setting, empty)).dropna().to_numpy() for setting in settings
    }


def _cells(scores: pd.DataFrame, value: str, by: Sequence[str]) -> dict[str, pd.Series]:
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


def alike(samples: Mapping[str, Array], within: float) -> list[Finding]:
    """Whether means are zero up to `within`: the margin is what is left between the mean and that limit."""
    return [
        Finding(
            found.setting,
            within - abs(found.effect),
            within - max(abs(found.low), abs(found.high)),
            within - _nearest_to_zero(found),
            found.n,
        )
        for found in over_trials(samples)
    ]


def _nearest_to_zero(found: Finding) -> float:
    return 0.0 if found.low <= 0 <= found.high else min(abs(found.low), abs(found.high))


def could_print(setting: str, values: Array, printed: float, rounding: float, runs: int = 1) -> Finding:
    """Whether a mean of `runs` new runs could be `printed`, rounded so: how far inside that prediction interval it is.

    The interval is the finding's own, so the margin has none.
    """
    n = len(values)
    if n < FEWEST:
        raise CannotTell(f"too few trials for an interval: {n}")
    spread = float(np.std(values, ddof=1)) * np.sqrt(1 / n + 1 / runs)
    reach = float(stats.t.isf((1 - LEVEL) / 2, n - 1)) * spread + rounding
    margin = reach - abs(float(np.mean(values)) - printed)
    return Finding(setting, margin, margin, margin, n)


def log_variance_ratio(first: Array, second: Array, settings: int) -> tuple[float, float, float]:
    """log(var second / var first) with an F interval, simultaneous over so many settings."""
    degrees = len(first) - 1, len(second) - 1
    ratio = float(np.log(np.var(second, ddof=1) / np.var(first, ddof=1)))
    tail = (1 - LEVEL) / 2 / settings
    upper = float(np.log(stats.f.isf(tail, degrees[1], degrees[0])))
    lower = float(np.log(stats.f.isf(1 - tail, degrees[1], degrees[0])))
    return ratio, ratio - upper, ratio - lower
