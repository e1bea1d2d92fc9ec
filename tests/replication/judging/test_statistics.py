"""From scores to findings, and from findings to a verdict."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from checks import assert_frequencies
from replication.judging.statistics import (
    alike,
    could_print,
    differences,
    exactly,
    log_variance_ratio,
    over_trials,
    rows,
)
from replication.judging.verdicts import CannotTell, Claim, Finding, Outcome, everywhere, graded, somewhere, worst_grade


def finding(low: float, high: float, setting: str = "here", n: int = 20) -> Finding:
    return Finding(setting, (low + high) / 2, low, high, n)


HOLDS, FAILS, UNCLEAR = finding(1, 2, "a"), finding(-2, -1, "b"), finding(-1, 1, "c")


def test_one_interval_is_students() -> None:
    values = np.array([1.0, 2.0, 4.0, 4.5])
    (found,) = over_trials({"all": values})
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (found.effect, found.n) == (values.mean(), 4)


@pytest.mark.slow
def test_all_intervals_together_cover_as_often_as_promised() -> None:
    """Bonferroni over independent settings covers with probability (1 − 0.05/k)^k."""
    rng, settings, runs = np.random.default_rng(3), 5, 4000
    covered = 0
    for _ in range(runs):
        found = over_trials({str(k): rng.standard_normal(6) for k in range(settings)})
        covered += all(f.low <= 0 <= f.high for f in found)
    share = (1 - 0.05 / settings) ** settings
    assert_frequencies(np.array([covered, runs - covered]), np.array([share, 1 - share]))


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
    assert found["x = 2"].tolist() == []  # b has no result there


def test_missing_rows_are_named() -> None:
    with pytest.raises(CannotTell, match="m = b or c"):
        rows(pd.DataFrame({"m": ["a"]}), m=["b", "c"])


@pytest.mark.parametrize("n", [1, 2])
def test_fewer_than_three_trials_are_refused(n: int) -> None:
    with pytest.raises(CannotTell, match=f"too few trials for an interval: {n}"):
        over_trials({"all": np.zeros(n)})


def test_likeness_needs_the_whole_interval_within_the_limit() -> None:
    wide, narrow = np.array([-1.0, 1.0, 0.0, 0.5]), np.array([0.01, -0.01, 0.0, 0.02])
    (loose,), (tight,) = alike({"": wide}, 0.1), alike({"": narrow}, 0.1)
    assert tight.holds
    assert not loose.holds
    assert not loose.fails  # its interval still contains zero
    (apart,) = alike({"": narrow + 5}, 0.1)
    assert apart.fails


@pytest.mark.slow
@pytest.mark.parametrize("runs", [1, 20])
def test_a_number_that_was_drawn_alike_could_be_printed_as_often_as_promised(runs: int) -> None:
    rng, tries = np.random.default_rng(6), 4000
    held = sum(
        could_print("", rng.standard_normal(8), rng.standard_normal(runs).mean(), 0.0, runs).holds for _ in range(tries)
    )
    assert_frequencies(np.array([held, tries - held]), np.array([0.95, 0.05]))


def test_rounding_widens_what_could_be_printed() -> None:
    values = np.array([1.0, 1.001, 0.999, 1.0])
    assert could_print("", values, 1.04, 0.05).holds
    assert could_print("", values, 1.2, 0.05).effect == pytest.approx(-0.15, abs=0.01)


def test_variances_are_compared_by_an_f_interval() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.standard_normal(20), 3 * rng.standard_normal(25)
    ratio, low, high = log_variance_ratio(first, second, 1)
    assert ratio == pytest.approx(2 * np.log(second.std(ddof=1) / first.std(ddof=1)))
    # At the lower end of the interval the F test is just significant at 2.5 %.
    assert stats.f.sf(np.exp(ratio - low), 24, 19) == pytest.approx(0.025)
    assert stats.f.cdf(np.exp(ratio - high), 24, 19) == pytest.approx(0.025)


def test_a_claim_holds_everywhere_in_part_or_nowhere() -> None:
    assert everywhere([HOLDS, HOLDS]).outcome is Outcome.REPRODUCED
    part = everywhere([HOLDS, FAILS, UNCLEAR])
    assert part.outcome is Outcome.CONDITIONAL
    assert part.note == "holds at a; fails at b; no difference seen at c"
    assert (part.effect, part.low, part.high) == (-1.5, -2, -1)  # the least favourable setting
    assert everywhere([FAILS, UNCLEAR]).outcome is Outcome.NOT_REPRODUCED


def test_no_difference_denies_a_claim_only_with_enough_trials() -> None:
    assert everywhere([finding(-1, 1, n=10)]).outcome is Outcome.NOT_REPRODUCED
    verdict = everywhere([finding(-1, 1, n=9)])
    assert verdict.outcome is Outcome.UNTESTABLE
    assert "9 trials are too few" in verdict.note


def test_a_setting_without_a_result_keeps_a_claim_from_holding() -> None:
    void = Finding("d", np.nan, np.nan, np.nan, 0)
    verdict = everywhere([HOLDS, void])
    assert verdict.outcome is Outcome.CONDITIONAL
    assert verdict.note == "holds at a; no result at d"
    assert verdict.effect == HOLDS.effect
    with pytest.raises(CannotTell):
        everywhere([void])


def test_once_is_enough_for_a_claim_that_something_happens() -> None:
    assert somewhere([FAILS, HOLDS]).outcome is Outcome.REPRODUCED
    assert somewhere([FAILS, FAILS]).outcome is Outcome.NOT_REPRODUCED


@given(st.lists(st.floats(-5, 5).filter(bool), min_size=1, max_size=6))
def test_exact_margins_leave_nothing_unclear(margins: list[float]) -> None:
    verdict = everywhere(exactly({str(i): value for i, value in enumerate(margins)}))
    positive = sum(value > 0 for value in margins)
    expected = {0: Outcome.NOT_REPRODUCED, len(margins): Outcome.REPRODUCED}
    assert verdict.outcome is expected.get(positive, Outcome.CONDITIONAL)
    assert verdict.effect == verdict.low == verdict.high == min(margins)


def test_a_stand_in_never_reproduces_a_claim() -> None:
    held = everywhere([HOLDS])
    assert graded(held, {"census": "full", "higgs": "subset"}) == held
    verdict = graded(held, {"census": "full", "acoustic": "stand-in"})
    assert verdict.outcome is Outcome.CONDITIONAL
    assert verdict.note == "holds for the stand-in of acoustic only"
    failed = graded(everywhere([FAILS]), {"acoustic": "stand-in"})
    assert failed.outcome is Outcome.NOT_REPRODUCED
    assert failed.note == "fails for the stand-in of acoustic only"


def test_the_worst_grade_counts() -> None:
    assert worst_grade(["full", "stand-in", "subset"]) == "stand-in"
    assert worst_grade([]) == "no data"


def test_a_claim_that_cannot_be_decided_says_why() -> None:
    def judge(scores: pd.DataFrame) -> None:
        raise CannotTell("nothing to see")

    verdict = Claim("id", "Words.", "here", "fig", judge).decide(pd.DataFrame())  # type: ignore[arg-type]
    assert (verdict.outcome, verdict.note) == (Outcome.UNTESTABLE, "nothing to see")
