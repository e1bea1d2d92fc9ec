"""The rule: every branch of it, from an interval to a setting and from settings to a verdict."""

from __future__ import annotations

from math import nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replication.judging.claim import Claim, Matters
from replication.judging.verdicts import (
    Finding,
    Form,
    Outcome,
    Quantifier,
    Settled,
    Target,
    Verdict,
    least_favourable,
    limit_by_grade,
    most_favourable,
    rule,
    summary,
    weigh,
    worst_grade,
)
from unveil.errors import UnveilError

HOLDS, FAILS, OPEN, VOID = Settled.HOLDS, Settled.FAILS, Settled.UNDECIDED, Settled.VOID
ALL, TYPICAL, SOME, NUMBER = Quantifier


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.01, 2.0, HOLDS),  # above zero, and it may be large enough
        (0.01, 0.05, FAILS),  # real, and too small to matter
        (-1.0, 0.05, FAILS),
        (-2.0, -1.0, FAILS),
        (-1.0, 0.2, OPEN),
        (0.0, 0.2, OPEN),
        (0.1, 0.1, HOLDS),  # exact, and just large enough
        (0.0999, 0.0999, FAILS),
    ],
)
def test_a_difference(low: float, high: float, expected: Settled) -> None:
    assert Target(Form.MORE, 0.1).settles((low + high) / 2, low, high) is expected


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (-0.1, 0.1, HOLDS),
        (0.1, 0.1, HOLDS),  # exact, and just small enough
        (-0.1, -0.1, HOLDS),
        (0.02, 0.05, HOLDS),  # real, and too small to matter
        (-0.11, 0.05, OPEN),
        (-1.0, 1.0, OPEN),
        (0.09, 0.3, OPEN),
        (0.11, 0.3, FAILS),
        (-0.3, -0.11, FAILS),
    ],
)
def test_an_equality_and_a_number(low: float, high: float, expected: Settled) -> None:
    assert Target(Form.SAME, 0.1).settles((low + high) / 2, low, high) is expected
    # What is added takes digits from the ends, so the rounding is a little more.
    number = Target(Form.PRINTED, 0.06, 94.4, 0.04 + 1e-12)
    assert number.settles(94.4, 94.4 + low, 94.4 + high) is expected


def test_what_does_not_exist_is_void() -> None:
    assert all(Target(form, 0.1).settles(nan, nan, nan) is VOID for form in Form)


def test_margins_are_in_units_of_what_matters() -> None:
    assert Target(Form.MORE, 0.5).margins(1.0, 0.5, 2.0) == (2.0, 1.0, 4.0)
    assert Target(Form.SAME, 0.5).margins(-0.5, -1.0, 0.25) == (0.0, -1.0, 1.0)
    assert Target(Form.SAME, 0.5).margins(1.0, 0.75, 1.25) == (-1.0, -1.5, -0.5)
    assert Target(Form.PRINTED, 1.0, 94.0, 0.5).margins(93.0, 92.0, 93.5) == (0.5, -0.5, 1.0)


@given(st.floats(-3, 3), st.floats(0, 2), st.sampled_from([Form.SAME, Form.PRINTED]))
def test_an_equality_holds_and_fails_by_the_sign_of_its_margins(effect: float, half: float, form: Form) -> None:
    target = Target(form, 0.7, 0.5, 0.1)
    _, low, high = target.margins(effect, effect - half, effect + half)
    settled = target.settles(effect, effect - half, effect + half)
    assert (settled is HOLDS) == (low >= 0) or abs(low) < 1e-9
    assert (settled is FAILS) == (high < 0) or abs(high) < 1e-9


@pytest.mark.parametrize(
    ("quantifier", "settled", "expected"),
    [
        (ALL, [HOLDS, HOLDS], Outcome.REPRODUCED),
        (ALL, [HOLDS, FAILS, OPEN], Outcome.CONTRADICTED),
        (ALL, [HOLDS, OPEN], Outcome.UNDECIDED),
        (ALL, [OPEN, OPEN], Outcome.UNDECIDED),
        (ALL, [HOLDS, VOID], Outcome.REPRODUCED),
        (ALL, [HOLDS, VOID, OPEN], Outcome.UNDECIDED),
        (ALL, [FAILS, VOID], Outcome.CONTRADICTED),
        (NUMBER, [HOLDS], Outcome.REPRODUCED),
        (NUMBER, [OPEN], Outcome.UNDECIDED),
        (NUMBER, [HOLDS, FAILS], Outcome.CONTRADICTED),
        (TYPICAL, [HOLDS, HOLDS, FAILS], Outcome.REPRODUCED),
        (TYPICAL, [FAILS, HOLDS, FAILS], Outcome.CONTRADICTED),
        (TYPICAL, [HOLDS, FAILS, OPEN], Outcome.CONDITIONAL),
        (TYPICAL, [HOLDS, HOLDS, FAILS, FAILS], Outcome.CONDITIONAL),
        (TYPICAL, [HOLDS, OPEN, OPEN], Outcome.UNDECIDED),
        (TYPICAL, [FAILS, OPEN, OPEN], Outcome.UNDECIDED),
        (TYPICAL, [HOLDS, VOID, VOID], Outcome.REPRODUCED),
        (TYPICAL, [HOLDS, FAILS, FAILS, VOID], Outcome.CONTRADICTED),
        (SOME, [FAILS, HOLDS, OPEN], Outcome.REPRODUCED),
        (SOME, [FAILS, FAILS, VOID], Outcome.CONTRADICTED),
        (SOME, [FAILS, OPEN], Outcome.UNDECIDED),
        *((quantifier, [VOID, VOID], Outcome.UNTESTABLE) for quantifier in Quantifier),
        *((quantifier, [], Outcome.UNTESTABLE) for quantifier in Quantifier),
    ],
)  # fmt: skip
def test_the_rule(quantifier: Quantifier, settled: list[Settled], expected: Outcome) -> None:
    assert rule(quantifier, settled, 2 / 3) is expected


def test_a_typical_claim_names_its_share() -> None:
    settled = [HOLDS] * 3 + [OPEN]
    assert rule(TYPICAL, settled, 0.75) is Outcome.REPRODUCED
    assert rule(TYPICAL, settled, 0.8) is Outcome.UNDECIDED
    assert rule(TYPICAL, [HOLDS, FAILS], 0.5) is Outcome.CONDITIONAL  # in that share both ways


REPRODUCED, CONTRADICTED, CONDITIONAL, UNDECIDED, UNTESTABLE = Outcome


@pytest.mark.parametrize(
    ("base", "others", "expected", "hangs_on"),
    [
        # Only the base refutes it; all do.
        (CONTRADICTED, [("rate", REPRODUCED), ("rate", UNDECIDED), ("start", CONTRADICTED)], CONDITIONAL, ("rate",)),
        (CONTRADICTED, [("rate", CONTRADICTED), ("start", UNTESTABLE)], CONTRADICTED, ()),
        (CONTRADICTED, [("rate", CONTRADICTED), ("start", UNDECIDED)], CONDITIONAL, ("start",)),
        (CONTRADICTED, [], CONTRADICTED, ()),
        (REPRODUCED, [("rate", REPRODUCED), ("start", CONTRADICTED)], CONDITIONAL, ("start",)),
        (REPRODUCED, [("rate", UNDECIDED), ("start", CONDITIONAL)], REPRODUCED, ()),
        # What the base leaves open, alternatives may turn both ways.
        (UNDECIDED, [("rate", REPRODUCED), ("rate", CONTRADICTED), ("b", REPRODUCED)], CONDITIONAL, ("rate", "b")),
        (UNDECIDED, [("rate", REPRODUCED)], UNDECIDED, ()),
        (UNTESTABLE, [("rate", REPRODUCED), ("start", CONTRADICTED)], UNTESTABLE, ()),
    ],
)  # fmt: skip
def test_open_choices_turn_a_verdict(
    base: Outcome, others: list[tuple[str, Outcome]], expected: Outcome, hangs_on: tuple[str, ...]
) -> None:
    assert weigh(base, others) == (expected, hangs_on)


@given(st.sampled_from(list(Outcome)), st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(list(Outcome)))))
def test_a_verdict_stands_only_if_no_alternative_says_the_opposite(
    base: Outcome, others: list[tuple[str, Outcome]]
) -> None:
    outcome, hangs_on = weigh(base, others)
    if outcome in (REPRODUCED, CONTRADICTED):
        (opposite,) = {REPRODUCED, CONTRADICTED} - {outcome}
        assert outcome is base
        assert opposite not in [other for _, other in others]
    if outcome is CONTRADICTED:
        assert {other for _, other in others} <= {CONTRADICTED, UNTESTABLE}
    # It hangs on what says otherwise than the base, and on nothing if it is not turned.
    assert set(hangs_on) <= {choice for choice, other in others if other not in (base, UNTESTABLE)}
    assert bool(hangs_on) <= (outcome is CONDITIONAL)


@given(st.lists(st.sampled_from([HOLDS, FAILS, OPEN]), min_size=1, max_size=9), st.sampled_from(list(Quantifier)))
def test_more_in_favour_never_makes_a_verdict_worse(settled: list[Settled], quantifier: Quantifier) -> None:
    order = {Outcome.CONTRADICTED: 0, Outcome.UNDECIDED: 1, Outcome.CONDITIONAL: 1, Outcome.REPRODUCED: 2}
    worth = {FAILS: OPEN, OPEN: HOLDS, HOLDS: HOLDS}
    before = rule(quantifier, settled, 2 / 3)
    for i, one in enumerate(settled):
        after = rule(quantifier, [*settled[:i], worth[one], *settled[i + 1 :]], 2 / 3)
        assert order[after] >= order[before]


def finding(low: float, high: float, settled: Settled, setting: str = "here", form: Form = Form.MORE) -> Finding:
    found = Finding(setting, (low + high) / 2, low, high, 9, Target(form, 1.0))
    assert found.settled is settled
    return found


def test_the_least_and_the_most_favourable_setting_agree_with_the_verdict() -> None:
    strong, weak = finding(2.0, 3.0, HOLDS), finding(0.5, 9.0, HOLDS)
    wide, broken, worse = finding(-9.0, 9.0, OPEN), finding(-2.0, -1.0, FAILS), finding(-4.0, -3.0, FAILS)
    void = finding(nan, nan, VOID)
    assert least_favourable([strong, weak, void]) is weak
    assert least_favourable([strong, weak, wide]) is wide
    assert least_favourable([strong, wide, broken, worse]) is worse
    assert most_favourable([weak, strong, broken, void]) is strong
    assert most_favourable([wide, broken]) is wide
    assert most_favourable([broken, worse]) is broken
    near, far = (finding(low, low + 0.1, HOLDS, form=Form.SAME) for low in (0.0, -0.9))
    assert least_favourable([near, far]) is far
    printed = [Finding("", value, value, value, 0, Target(Form.PRINTED, 1.0, 5.0)) for value in (5.1, 4.5)]
    assert most_favourable(printed) is printed[0]


def test_a_note_names_settings_or_counts_them() -> None:
    held = [finding(1, 2, HOLDS, name) for name in "abcd"]
    assert summary(held) == "holds in all 4 settings"
    mixed = summary([*held, finding(-2, -1, FAILS, "e"), finding(-1, 1, OPEN, "f"), finding(nan, nan, VOID, "g")])
    assert mixed == "holds in 4 of 7 settings (a … d); fails at e; undecided at f; no result at g"
    assert summary(held[:1]) == ""


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("reproduced", "conditional", "holds for"),
        ("contradicted", "conditional", "fails for"),
        ("conditional", "conditional", "holds in part for"),
        ("undecided", "undecided", "undecided for"),
    ],
)
def test_what_a_stand_in_shows_is_said_of_it_only(before: str, after: str, words: str) -> None:
    verdict = Verdict(Outcome(before), 1.0, 0.5, 1.5, note="more")
    assert limit_by_grade(verdict, {"census": "full", "higgs": "subset"}) == verdict
    turned = limit_by_grade(verdict, {"census": "full", "acoustic": "stand-in"})
    assert turned.outcome == after
    assert turned.note == f"{words} the stand-in of acoustic only; more"


def test_the_worst_grade_counts() -> None:
    assert worst_grade(["full", "stand-in", "subset"]) == "stand-in"
    assert worst_grade([]) == "no data"


@pytest.mark.parametrize("value", [0.0, -1.0, nan, float("inf")])
def test_the_smallest_effect_that_matters_is_above_zero(value: float) -> None:
    with pytest.raises(UnveilError, match="positive"):
        Matters(value, "words")


def test_a_claim_needs_unit_quantity_share_and_reason() -> None:
    def claim(quantity: str = "x", unit: str = "y", **others: Any) -> Claim:
        return Claim("id", "S.", "p", "f", lambda _: [], ALL, quantity, unit, Matters(1.0, "words"), **others)

    assert claim().share == 2 / 3
    for wrong in ({"unit": ""}, {"quantity": ""}, {"share": 0.0}, {"share": 1.1}):
        with pytest.raises(UnveilError, match="must"):
            claim(**wrong)
    with pytest.raises(UnveilError, match="why"):
        Matters(1.0, "")
