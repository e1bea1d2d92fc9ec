"""The intervals that this paper's claims need beside the usual ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator
from scipy import stats

from replication.papers.class_ratio.claims.common import POOL, AtQuantile, jackknife, save_percent
from unveil.types import Array

#: Instances of each of two classes in the pool, and in each of three sets: two thirds of a class are used up.
CLASS, SET = 700, 300


def l1_error(pool: tuple[Array, Array], rng: Generator) -> float:
    """Two training sets, (.9, .1) and (.1, .9), and an even test set drawn from a pool without replacement."""
    first, second = (members[rng.permutation(CLASS)] for members in pool)
    few, many, half = SET // 10, SET - SET // 10, SET // 2
    embedded = [
        np.vstack([first[:many], second[:few]]),
        np.vstack([first[many : many + few], second[few : few + many]]),
        np.vstack([first[SET : SET + half], second[SET : SET + half]]),
    ]
    train_a, train_b, test = (members.mean(axis=0) for members in embedded)
    weights = np.linalg.lstsq(np.stack([train_a, train_b], axis=1), test, rcond=None)[0]
    share = float(np.clip(weights @ [0.9, 0.1], 0, 1))
    return 2 * abs(share - 0.5)


def test_trials_from_one_exhausted_pool_share_little_of_their_variance() -> None:
    """The part is what errors of one pool have in common: its estimate and two standard errors are below `POOL`."""
    rng, pools, trials = np.random.default_rng(3), 200, 30
    errors = np.empty((pools, trials))
    for k in range(pools):
        points = (rng.standard_normal((CLASS, 4)) + shift for shift in (0.0, 0.6))
        first, second = (np.hstack([np.cos(x), np.sin(x)]) for x in points)
        errors[k] = [l1_error((first, second), rng) for _ in range(trials)]
    within = errors.var(axis=1, ddof=1).mean()
    means = errors.mean(axis=1)
    shared = (means.var(ddof=1) - within / trials) / within
    standard_error = means.var(ddof=1) * np.sqrt(2 / pools) / within
    assert abs(shared) < POOL
    assert shared + 2 * standard_error < POOL


def test_the_interval_for_a_low_quantile_covers_it() -> None:
    """Of normal margins, at a tail of 5 %: misses on either side within a false alarm rate of one in a million."""
    rng, repeats, share, tail = np.random.default_rng(4), 2000, 0.05, 0.05
    truth = float(stats.norm.ppf(share))
    found = np.array(
        [AtQuantile("here", pd.Series(rng.standard_normal(10)), share).interval(tail) for _ in range(repeats)]
    )
    limit = stats.binom.isf(1e-6, repeats, tail)
    above, below = (found[:, 1] > truth).sum(), (found[:, 2] < truth).sum()
    assert 0 < above <= limit
    assert 0 < below <= limit


def test_pseudo_values_tell_a_ratio_and_its_error() -> None:
    """Against the delta method; of equal trials the saving is exact."""
    rng, n = np.random.default_rng(5), 400
    first, second = pd.Series(1 + 0.1 * rng.standard_normal(n)), pd.Series(0.4 + 0.1 * rng.standard_normal(n))
    values = save_percent(first, second)
    assert values.mean() == pytest.approx(60, abs=2)
    ratio = second.mean() / first.mean()
    delta = 100 * np.std(second - ratio * first, ddof=1) / first.mean()
    assert values.std(ddof=1) == pytest.approx(delta, rel=0.02)
    assert save_percent(pd.Series([2.0, 2.0, 2.0]), pd.Series([1.0, 1.0, 1.0])).tolist() == pytest.approx([50, 50, 50])


def test_pseudo_values_of_a_mean_are_the_trials() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0, 4.0, 7.0]})
    assert jackknife(table, lambda part: float(part["x"].mean())).tolist() == pytest.approx([1, 2, 4, 7])
