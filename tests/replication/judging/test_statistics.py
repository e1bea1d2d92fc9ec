"""From scores to observations, and their intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from checks import assert_frequencies
from replication.judging.statistics import (
    Sampled,
    alike,
    differences,
    estimated,
    exactly,
    number,
    one_test_set,
    over_trials,
    pool,
    rows,
    simultaneous_tail,
)
from replication.judging.verdicts import CannotTell, Form


def test_one_interval_is_students() -> None:
    values = np.array([1.0, 2.0, 4.0, 4.5])
    (seen,) = over_trials({"all": values}, span=9.0)  # which says nothing of trials that differ
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert seen.interval(0.025) == pytest.approx((values.mean(), expected.low, expected.high))
    assert (seen.trials, seen.form) == (4, Form.MORE)


def test_intervals_are_as_wide_as_the_random_settings_ask() -> None:
    random = over_trials({"a": [1.0, 2, 4], "b": [1.0, 2, 5], "none": []})
    assert simultaneous_tail([*random, *exactly({"exact": 1.0})]) == pytest.approx(0.025 / 2)
    assert simultaneous_tail(exactly({"exact": 1.0})) == pytest.approx(0.025)


@pytest.mark.slow
def test_all_intervals_together_cover_as_often_as_promised() -> None:
    """Bonferroni over independent settings covers with probability (1 − 0.05/k)^k."""
    rng, settings, runs = np.random.default_rng(3), 5, 1000
    covered = 0
    for _ in range(runs):
        seen = over_trials({str(k): rng.standard_normal(6) for k in range(settings)})
        tail = simultaneous_tail(seen)
        covered += all(low <= 0 <= high for _, low, high in (one.interval(tail) for one in seen))
    share = (1 - 0.05 / settings) ** settings
    assert_frequencies(np.array([covered, runs - covered]), np.array([share, 1 - share]))


@pytest.mark.slow
def test_what_all_trials_share_is_covered_too() -> None:
    """Trials on one test set: without the shared variance their interval misses the truth most of the time."""
    rng, runs, shared = np.random.default_rng(8), 2000, 4.0
    missed = {0.0: 0, shared: 0}
    for _ in range(runs):
        values = pd.Series(rng.standard_normal(10) + np.sqrt(shared) * rng.standard_normal())
        for known in missed:
            _, low, high = Sampled("", values, shared=known).interval(0.025)
            missed[known] += not low <= 0 <= high
    assert missed[0.0] > 0.5 * runs
    # At the stated 5 %, more than this happens with probability 1e-6.
    assert missed[shared] <= stats.binom.isf(1e-6, runs, 0.05)
    assert missed[shared] >= stats.binom.ppf(1e-6, runs, 0.02)


def test_trials_that_are_all_the_same_are_chance_all_the_same() -> None:
    (seen,) = over_trials({"a": [1.0] * 10}, span=2.0)
    # Had a share p of trials been elsewhere, ten of them would all have missed it with probability 2.5 %.
    share = 1 - 0.025 ** (1 / 10)
    assert seen.interval(0.025) == pytest.approx((1.0, 1.0 - 2 * share, 1.0 + 2 * share))
    # Where each trial says the same of 30 records, as much is said by 300 of them.
    seen, other = over_trials({"a": [1.0] * 10, "b": [1.0] * 10}, span=2.0, records={"a": 30})
    assert seen.interval(0.025)[2] - 1.0 == pytest.approx(2 * (1 - 0.025 ** (1 / 300)))
    assert other.interval(0.025)[2] - 1.0 == pytest.approx(2 * share)
    same, other = over_trials({"a": [0.1 + 0.2, 0.3, 0.3], "b": [1.0, 2.0, 3.0]})
    assert same.interval(0.025)[2] - 0.3 == pytest.approx(other.interval(0.025)[2] - 2.0)
    (alone,) = over_trials({"a": [1.0] * 10})
    with pytest.raises(CannotTell, match="all trials are the same at a"):
        alone.interval(0.025)


def test_exact_values_have_no_width_and_no_trials() -> None:
    (seen,) = exactly({"here": -1e-12}, slack=1e-9)
    assert seen.trials == 0
    effect, low, high = seen.interval(0.025)
    assert effect == low == high > 0


def test_numbers_carry_what_is_printed() -> None:
    seen = number("σ² = 0.1", [94.0, 94.2, 94.1], 94.4, 0.05)
    assert (seen.form, seen.printed, seen.rounding, seen.trials) == (Form.PRINTED, 94.4, 0.05, 3)
    assert seen.setting == "σ² = 0.1"
    assert number("exact", 0.5, 0.5, 0.0).trials == 0
    with pytest.raises(CannotTell, match="too few trials"):
        number("", [1.0], 1.0, 0.0)


def test_a_standard_error_makes_students_interval() -> None:
    (seen,) = estimated({"here": (1.0, 0.5)}, 11, Form.SAME)
    assert seen.interval(0.025)[2] == pytest.approx(1 + 0.5 * stats.t.ppf(0.975, 10))


def test_differences_are_paired_by_trial_and_average_draws_within_it() -> None:
    scores = pd.DataFrame(
        {
            "m": ["a", "a", "b", "a", "b", "a"],
            "x": [1, 1, 1, 1, 1, 2],
            "trial": [0, 0, 0, 1, 1, 0],
            "v": [1.0, 3.0, 0.5, 10.0, 2.0, 7.0],
        }
    )
    found = differences(scores, "v", {"m": "a"}, {"m": "b"}, ["x"])
    assert found["x = 1"].tolist() == [1.5, 8.0]
    assert found["x = 1"].index.tolist() == [0, 1]
    assert found["x = 2"].tolist() == []  # b has no result there
    assert differences(scores, "v", {"m": "a"}, {"m": "b"}, [])["overall"].tolist() == pytest.approx([19 / 6, 8.0])


def test_missing_rows_are_named() -> None:
    with pytest.raises(CannotTell, match="m = b or c"):
        rows(pd.DataFrame({"m": ["a"]}), m=["b", "c"])


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_trials_are_refused(n: int) -> None:
    with pytest.raises(CannotTell, match=f"too few trials for an interval: {n}"):
        over_trials({"all": np.zeros(n), "none": []})
    with pytest.raises(CannotTell, match="no result in any"):
        over_trials({"none": []})


def test_a_setting_without_samples_is_void() -> None:
    void = over_trials({"a": [1.0, 2.0, 3.0], "b": []})[1]
    assert void.trials == 0
    assert np.isnan(void.interval(0.025)).all()


def test_settings_are_pooled_by_trial() -> None:
    table = np.random.default_rng(5).standard_normal((3, 7)) + np.random.default_rng(6).standard_normal(7)
    effect, low, high = pool(over_trials({str(i): values for i, values in enumerate(table)}))
    expected = stats.ttest_1samp(table.mean(axis=0), 0).confidence_interval(0.95)
    assert (effect, low, high) == pytest.approx((table.mean(), expected.low, expected.high))


@pytest.mark.parametrize("values", [[1.0, 2.0, 4.0], [1.0] * 5])
def test_a_setting_pooled_with_itself_is_what_it_was(values: list[float]) -> None:
    """What both share is shared by their mean."""
    records = {"a": 3, "b": 3}
    seen, same = over_trials({"a": values, "b": values}, shared=0.3, span=2.0, records=records)
    assert pool([seen, same]) == pytest.approx(seen.interval(0.025))


def test_pooled_trials_that_are_all_the_same_keep_the_span_of_their_settings() -> None:
    ones = pd.Series(1.0, index=range(20))
    effect, low, high = pool(over_trials({"a": ones, "b": ones}, span=1.0))
    assert effect == 1
    assert high - effect == pytest.approx(effect - low) == pytest.approx(1 - 0.025 ** (1 / 20))


def test_what_cannot_be_pooled_by_trial_gets_the_mean_of_its_intervals() -> None:
    assert pool(exactly({"a": 1.0, "b": 3.0, "void": np.nan})) == (2.0, 2.0, 2.0)
    ragged = over_trials({"a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 3.0, 4.0]})
    both = np.array([seen.interval(0.0125) for seen in ragged])
    assert pool([*ragged]) != pytest.approx(tuple(both.mean(axis=0)))  # three trials in common: pooled by them
    mixed = [*alike({"a": [1.0, 2.0, 3.0]}), *exactly({"b": 5.0})]
    _, low, high = mixed[0].interval(0.025)
    assert pool(mixed) == pytest.approx((3.5, (low + 5) / 2, (high + 5) / 2))


def test_one_test_set_gives_its_binomial_variance() -> None:
    rng = np.random.default_rng(2)
    drawn = rng.binomial(500, 0.9, 20000) / 500 - rng.binomial(500, 0.7, 20000) / 500
    assert one_test_set([0.9, 0.7], 500) == pytest.approx(drawn.var(), rel=0.05)
