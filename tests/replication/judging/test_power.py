"""The judge is calibrated: on simulated truths it is wrong as seldom as it says, and its power is what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from replication.judging import power
from replication.judging.claim import Claim, Matters
from replication.judging.judge import decide
from replication.judging.power import Inquiry, simulate, trials_to_decide
from replication.judging.statistics import exactly, number, over_trials
from replication.judging.verdicts import Finding, Form, Observation, Outcome, Quantifier, Target
from unveil.types import Array

RUNS = 8000
#: A verdict is false at most so often; a judge who is wrong just so often fails a test with probability 1e-6.
ALLOWED, ALARM = 0.05, 1e-6
CODES = {Outcome.REPRODUCED: 1, Outcome.CONTRADICTED: -1}

NOISE: dict[str, Callable[..., Array]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "heavy": lambda rng, shape: rng.laplace(size=shape) / sqrt(2),
    "flat": lambda rng, shape: rng.uniform(-sqrt(3), sqrt(3), shape),
    # Accuracies of a test set of 100 records.
    "counts": lambda rng, shape: (rng.binomial(100, 0.8, shape) - 80) / 4,
}


def designs() -> Iterator[Inquiry]:
    """Forms that differ: a printed number is judged as an equality is."""
    grid = product(Quantifier, (Form.MORE, Form.SAME), (1, 9), (3, 10, 30), (0.1, 0.5, 2.0))
    return (Inquiry(*values) for values in grid)


def truths(inquiry: Inquiry) -> Iterator[Array]:
    """Effects where a false verdict is likeliest: at what decides them, in all settings or in half of them."""
    nudged = inquiry.matters + 1e-9  # just outside
    edges = (0.0, inquiry.matters) if inquiry.form is Form.MORE else (inquiry.matters, -inquiry.matters, nudged)
    far = 10.0 * max(1.0, inquiry.matters)
    for edge, other in product(edges, (None, -far, 0.0, far)):
        effects = np.full(inquiry.settings, edge)
        if other is not None:
            effects[: (inquiry.settings + 1) // 2] = other
        yield effects


def judged_wrongly(inquiry: Inquiry, verdicts: Array, effects: Array) -> tuple[Array, Array]:
    """Where a claim was reproduced or contradicted, though it is not so of the true effects by setting.

    Between zero and the smallest effect that matters both are true of a difference: it is there, and too small.
    """
    if inquiry.form is Form.MORE:
        there, large = effects > 0, effects >= inquiry.matters
    else:
        there = large = np.abs(effects) <= inquiry.matters
    may_hold = inquiry.apply_rule(there.sum(axis=-1), (~there).sum(axis=-1)) == 1
    may_fail = inquiry.apply_rule(large.sum(axis=-1), (~large).sum(axis=-1)) == -1
    return (verdicts == 1) & ~may_hold, (verdicts == -1) & ~may_fail


def false_verdicts(kept: Callable[[Inquiry], bool], noise: str = "normal", common: float = 0.0) -> dict[str, float]:
    """The largest share of false verdicts of each kind, over all designs and truths."""
    worst = {"reproduced": 0.0, "contradicted": 0.0}
    rng = np.random.default_rng(7)
    drawn: dict[tuple[int, int], tuple[Array, Array]] = {}
    for inquiry in filter(kept, designs()):
        size = inquiry.settings, inquiry.trials
        if size not in drawn:
            alike = NOISE[noise](rng, (RUNS, 1, inquiry.trials)) if common else 0.0
            values = sqrt(1 - common) * NOISE[noise](rng, (RUNS, *size)) + sqrt(common) * alike
            drawn[size] = values.mean(axis=-1), values.std(axis=-1, ddof=1)
        means, spreads = drawn[size]
        for effects in truths(inquiry):
            wrong = judged_wrongly(inquiry, inquiry.verdicts(means + effects, spreads), effects)
            for kind, found in zip(worst, wrong, strict=True):
                worst[kind] = max(worst[kind], float(np.mean(found)))
    return worst


def limit() -> float:
    """The share of false verdicts that the largest of all comparisons exceeds by chance with probability `ALARM`."""
    comparisons = sum(2 * sum(1 for _ in truths(inquiry)) for inquiry in designs())
    return float(stats.binom.isf(ALARM / comparisons, RUNS, ALLOWED)) / RUNS


@pytest.mark.slow
@pytest.mark.parametrize("common", [0.0, 0.9], ids=["apart", "alike"])
def test_false_verdicts_are_as_rare_as_promised(common: float) -> None:
    worst = false_verdicts(lambda _: True, common=common)
    assert max(worst.values()) <= limit() < 1.35 * ALLOWED, worst
    # They do occur: the truths are those on which they are likeliest.
    assert min(worst.values()) > ALLOWED / 3


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "fewest"), [("heavy", 3), ("counts", 10), ("flat", 30)])
def test_noise_that_is_not_normal_hardly_matters_with_enough_trials(noise: str, fewest: int) -> None:
    """With few trials and many settings, Student's tails are asked for more than bounded noise gives them."""
    worst = false_verdicts(lambda inquiry: inquiry.trials >= fewest, noise)
    assert max(worst.values()) <= limit(), worst


@pytest.mark.slow
@pytest.mark.parametrize("quantifier", Quantifier)
def test_open_choices_make_false_verdicts_no_more_frequent(quantifier: Quantifier) -> None:
    """Four alternatives see other records of the same truth: that turns verdicts to conditional ones, never false."""
    inquiry, rng = Inquiry(quantifier, Form.MORE, 9, 10), np.random.default_rng(5)
    seen = [simulate(inquiry, 2000, rng) for _ in range(5)]
    for effects in truths(inquiry):
        apart = np.stack([inquiry.verdicts(means + effects, spreads) for means, spreads in seen], axis=1)
        weighed = power.weigh_all(apart)
        assert np.all((weighed == apart[:, 0]) | (weighed == 0))
        for wrong in judged_wrongly(inquiry, weighed, effects):
            # 7 truths, two kinds, four quantifiers: a judge who is wrong in 5 % fails once in a million.
            assert np.sum(wrong) <= stats.binom.isf(ALARM / 56, 2000, ALLOWED)


def test_a_truth_that_hangs_on_a_choice_is_found_to() -> None:
    """Where the base is far on one side and an alternative on the other, no verdict stands; where none is, all do."""
    inquiry, rng = Inquiry(Quantifier.TYPICAL, Form.MORE, 9, 10), np.random.default_rng(6)
    means, spreads = simulate(inquiry, 500, rng)
    for base, other, expected in ((-9.0, 9.0, 0), (9.0, -9.0, 0), (-9.0, -9.0, -1), (9.0, 9.0, 1)):
        found = np.stack([inquiry.verdicts(means + effect, spreads) for effect in (base, other)], axis=1)
        assert set(power.weigh_all(found)) == {expected}


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["tails", "absence"])
def test_a_judge_who_is_not_calibrated_is_found_out(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Intervals that are not simultaneous; no visible difference read as a refutation."""
    if wrong == "tails":
        monkeypatch.setattr(power, "tail_of", lambda _: 0.025)
    else:
        original = Inquiry.verdicts

        def denying(inquiry: Inquiry, means: Array, spreads: Array) -> Array:
            found = original(inquiry, means, spreads)
            return np.where((found == 0) & (inquiry.trials >= 10), -1, found)

        monkeypatch.setattr(Inquiry, "verdicts", denying)
    worst = false_verdicts(lambda inquiry: inquiry.settings == 9 and inquiry.quantifier is Quantifier.ALL)
    assert worst["contradicted"] > 2 * ALLOWED


@pytest.mark.parametrize(("quantifier", "form"), list(product(Quantifier, Form)))
def test_what_was_simulated_is_what_the_judge_says(quantifier: Quantifier, form: Form) -> None:
    """The same scores, judged by the rule over arrays and as claims are judged in a run."""
    rng = np.random.default_rng(11)
    seen = set()
    for settings, trials, effect in product((1, 3, 4), (3, 8), (-1.0, 0.0, 0.3, 1.5)):
        inquiry = Inquiry(quantifier, form, settings, trials)
        values = rng.standard_normal((settings, trials)) * 0.3 + effect * rng.uniform(0.5, 1.5, (settings, 1))
        (expected,) = inquiry.verdicts(values.mean(axis=-1)[None], values.std(axis=-1, ddof=1)[None])
        observed = claim(values, quantifier, form)
        outcome = decide(observed, pd.DataFrame()).outcome
        assert CODES.get(outcome, 0) == expected, (inquiry, outcome)
        seen.add(expected)
    assert seen == {-1, 0, 1}


def claim(values: Array, quantifier: Quantifier, form: Form) -> Claim:
    """A claim about rows of trials."""

    def measure(_: pd.DataFrame) -> list[Observation]:
        if form is Form.PRINTED:
            return [number(str(i), row + 94.4, 94.4, 0.0) for i, row in enumerate(values)]
        return over_trials({str(i): row for i, row in enumerate(values)}, form)

    return Claim("id", "Words.", "here", "one", measure, quantifier, "x", "y", Matters(0.5, "less is nothing"))


@pytest.mark.slow
@pytest.mark.parametrize(("quantifier", "settings", "trials"), list(product(Quantifier, (1, 9), (5, 30))))
def test_the_power_is_as_computed(quantifier: Quantifier, settings: int, trials: int) -> None:
    inquiry = Inquiry(quantifier, Form.MORE, settings, trials, matters=0.1)
    means, spreads = simulate(inquiry, RUNS, np.random.default_rng(3))
    for verdict, code in CODES.items():
        margin = inquiry.find_margin(verdict)
        effect = margin if code == 1 else inquiry.matters - margin
        hits = int(np.sum(inquiry.verdicts(means + effect, spreads) == code))
        # 32 comparisons; a judge with this power fails one of them with probability 1e-6.
        low, high = (stats.binom.ppf(q, RUNS, power.POWER) for q in (ALARM / 64, 1 - ALARM / 64))
        assert low <= hits <= high


def undecided(effect: float, noise: float, trials: int, matters: float = 0.05) -> Finding:
    half = float(stats.t.isf(0.025, trials - 1)) * noise / sqrt(trials)
    return Finding("", effect, effect - half, effect + half, trials, Target(Form.MORE, matters))


@pytest.mark.parametrize(("effect", "noise"), [(0.3, 1.0), (0.1, 1.0), (0.5, 3.0)])
def test_as_many_trials_as_advised_decide(effect: float, noise: float) -> None:
    advised = trials_to_decide([undecided(effect, noise, 10)], [0.0], Quantifier.ALL, 2 / 3)
    assert advised is not None
    reached = Inquiry(Quantifier.ALL, Form.MORE, 1, advised).power(np.array(effect / noise), Outcome.REPRODUCED)
    assert 0.76 <= reached <= 0.86


def test_more_trials_do_not_decide_what_they_do_not_see() -> None:
    found = undecided(0.3, 1.0, 10)
    assert trials_to_decide([found], [1.0], Quantifier.ALL, 2 / 3) is None  # one test set for all trials
    assert trials_to_decide([undecided(0.0, 1.0, 10, 1e-9)], [0.0], Quantifier.ALL, 2 / 3) is None
    exact = Finding("", 0.0, 0.0, 0.0, 0, Target(Form.MORE, 0.0))
    assert trials_to_decide([exact], [0.0], Quantifier.ALL, 2 / 3) is None
    # Of two settings one decides a claim about some, and the slower one a claim about all.
    both = [undecided(0.5, 1.0, 10), undecided(0.2, 1.0, 10)]
    some, every = (
        trials_to_decide(both, [0.0, 0.0], quantifier, 2 / 3) for quantifier in (Quantifier.SOME, Quantifier.ALL)
    )
    assert some is not None
    assert every is not None
    assert some < every / 4


def test_an_undecided_claim_says_how_many_trials_it_takes() -> None:
    rng = np.random.default_rng(2)
    values = rng.standard_normal((1, 10))
    values += 0.3 - values.mean()
    asked = claim(values, Quantifier.ALL, Form.MORE)
    verdict = decide(asked, pd.DataFrame())
    assert verdict.outcome is Outcome.UNDECIDED
    assert verdict.note.startswith("about ")
    assert verdict.note.endswith(" trials would decide")
    # A setting without randomness does not change that; what all trials share makes them useless.
    seen = asked.measure(pd.DataFrame())
    beside = decide(replace(asked, measure=lambda _: [*seen, *exactly({"exact": 1.0})]), pd.DataFrame())
    assert beside.note == f"holds at exact; undecided at 0; {verdict.note}"
    alike = replace(asked, measure=lambda _: over_trials({"here": values[0]}, shared=1.0))
    assert decide(alike, pd.DataFrame()).note == "more trials alone would not decide"


@pytest.mark.slow
def test_the_figure_has_every_quantifier_and_verdict() -> None:
    table = pd.DataFrame(power._list_decided())
    assert set(table["quantifier"]) == set(Quantifier)
    assert set(table["verdict"]) == {"reproduced", "contradicted"}
    curves = table.groupby(["quantifier", "settings", "verdict"])["effect"]
    assert all(curve.is_monotonic_decreasing for _, curve in curves)
