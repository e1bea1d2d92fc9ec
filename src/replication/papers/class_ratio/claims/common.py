"""What the claims of this paper share: names, smallest effects, and the variance that trials have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import pandas as pd
from scipy.special import nctdtrit, ndtri

from replication.judging.claim import Matters
from replication.judging.statistics import FEWEST, differences, over_trials
from replication.judging.verdicts import CannotTell, Observation

OURS, RIVALS = "scaled_dirichlet", ("laplace", "gaussian", "laplace_prior")
#: ASSUME: where (9) has no σ the paper's mechanism is what section 3 falls back on, the Laplace prior.
FALLBACK = "fallback"
#: The mechanisms of figure 3.
PRIVATE = ("laplace", "laplace_prior", FALLBACK)
BINARY, MANY = ("census", "youtube", "higgs"), ("mnist", "acoustic", "twitter")
#: Section 4.1's default for δ.
DELTA = 0.05

DISTORTION = Matters(0.01, "the last digit in which the paper gives a distortion")
ERROR = Matters(0.02, "one point of a class ratio, which L1 counts in the class that gains and in the one that loses")
PROMISE = Matters(1e-6, "a guarantee holds or is broken: any excess beyond rounding breaks it")
#: What rounding may take from a bound that is attained.
ATTAINED = 2e-6
EXPONENT = Matters(0.1, "a tenfold change would move the quantity by a quarter, which figures of this kind can show")
STEP = Matters(0.05, "five per cent from one point to the next is the least that the eye follows on a curve")

#: Data sets of which the sets of one trial use up most members of a class, so that all trials share them.
EXHAUSTED = ("youtube", "mnist", "twitter")
#: The part of a trial's variance that such trials share. It is small, because what a pool has of its own is the same in
#: training and test sets and cancels: a hundredth where sets use up two thirds of the pool, as a test simulates.
POOL = 0.02

Samples = dict[str, pd.Series]


def in_common(samples: Samples) -> dict[str, float]:
    """The variance that all trials share because they draw their sets from one exhausted pool, by setting.

    Settings begin with the name of their data set.
    """
    return {
        setting: POOL * float(values.var(ddof=1)) if setting.split(",")[0] in EXHAUSTED else 0.0
        for setting, values in samples.items()
    }


def from_pools(samples: Samples) -> list[Observation]:
    """Observations over trials that draw their sets from one pool each."""
    return over_trials(samples, shared=in_common(samples))


def lead_over(scores: pd.DataFrame, value: str, ours_by_rival: Mapping[str, str], by: Sequence[str]) -> Samples:
    """What each rival among the mechanisms has more of than ours beside it, in each setting of `by`."""
    samples: Samples = {}
    for rival, ours in ours_by_rival.items():
        found = differences(scores, value, {"mechanism": rival}, {"mechanism": ours}, by)
        samples |= {f"{setting}, against {rival}": values for setting, values in found.items()}
    return samples


def jackknife(table: pd.DataFrame, statistic: Callable[[pd.DataFrame], float]) -> pd.Series:
    """Pseudo-values of a statistic of trials (rows): their mean corrects its bias, their scatter tells its error."""
    whole = table.dropna()
    n = len(whole)
    if n < FEWEST:
        raise CannotTell(f"too few trials for an interval: {n}")
    all_ = statistic(whole)
    return pd.Series({trial: n * all_ - (n - 1) * statistic(whole.drop(index=trial)) for trial in whole.index})


@dataclass(frozen=True, eq=False)
class AtQuantile(Observation):
    """A margin at a low quantile of its trials, taken as normal: a bound that may fail with that probability.

    The interval is the usual one for a normal quantile, by the non-central t distribution.
    """

    values: pd.Series
    share: float

    @property
    def trials(self) -> int:
        """How many trials have a margin."""
        return len(self.values)

    def interval(self, tail: float) -> tuple[float, float, float]:
        """The mean less z·s, with limits of the same form."""
        n = self.trials
        if n < FEWEST:
            raise CannotTell(f"too few trials for an interval: {n}")
        mean, spread = float(self.values.mean()), float(self.values.std(ddof=1))
        z = -float(ndtri(self.share))
        factors = [float(nctdtrit(n - 1, z * sqrt(n), p)) / sqrt(n) for p in (1 - tail, tail)]
        low, high = (mean - factor * spread for factor in factors)
        return mean - z * spread, low, high


def keep_rows(scores: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    """The rows with these values, where the scores have such a column at all."""
    for column, value in wanted.items():
        if column in scores:
            scores = scores[scores[column] == value]
    return scores


def save_percent(first: pd.Series, second: pd.Series) -> pd.Series:
    """The percentage of the first's mean that the second saves, as pseudo-values by trial."""
    table = pd.DataFrame({"first": first, "second": second})
    return jackknife(table, lambda part: 100 * (1 - float(part["second"].mean() / part["first"].mean())))


def log_ratio(first: pd.Series, second: pd.Series) -> pd.Series:
    """log(mean first / mean second), as pseudo-values by trial."""
    table = pd.DataFrame({"first": first, "second": second})
    return jackknife(table, lambda part: float(np.log(part["first"].mean() / part["second"].mean())))
