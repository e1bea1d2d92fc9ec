"""What a claim is, what was found in one setting, and how findings become a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import isnan, nan
from typing import TypeAlias

import pandas as pd

#: Without a difference in sight, this many trials are enough to say that there is none to speak of.
ENOUGH_TO_DENY = 10
#: A note names settings up to this many, then counts them.
NAMED = 3


class Outcome(StrEnum):
    """What can be said of a claim."""

    REPRODUCED = "reproduced"
    CONDITIONAL = "conditional"
    NOT_REPRODUCED = "not reproduced"
    UNTESTABLE = "untestable"


class CannotTell(Exception):  # noqa: N818 - it is an answer, not an error
    """The scores at hand cannot decide a claim; the message says why."""


@dataclass(frozen=True)
class Finding:
    """The margin by which a claim holds in one setting, with an interval; negative where the claim fails.

    NaN where the setting does not exist for the method in question, which then has no result to show.
    """

    setting: str
    effect: float
    low: float
    high: float
    n: int

    @property
    def holds(self) -> bool:
        """The whole interval is on the claim's side."""
        return self.low > 0

    @property
    def fails(self) -> bool:
        """The whole interval is on the other side."""
        return self.high < 0

    @property
    def is_void(self) -> bool:
        """The method has no result here."""
        return isnan(self.effect)


@dataclass(frozen=True)
class Verdict:
    """What was found, with the margin of the least favourable setting."""

    outcome: Outcome
    effect: float
    low: float
    high: float
    n: int
    note: str = ""


#: Stands for every data set that a figure reads.
ALL = ("*",)

Judge: TypeAlias = Callable[[pd.DataFrame], Verdict]


@dataclass(frozen=True)
class Claim:
    """A statement of a paper in our words, where it stands, and the function of a figure's scores that decides it.

    `datasets` are the data sets that the verdict rests on: none where it rests on no data, `ALL` where it rests on
    all that the figure reads.
    """

    id: str
    statement: str
    place: str
    figure: str
    judge: Judge
    datasets: tuple[str, ...] = ()

    @property
    def rests_on_all(self) -> bool:
        """Whether all data of the figure counts."""
        return self.datasets == ALL

    def decide(self, scores: pd.DataFrame) -> Verdict:
        """The verdict on these scores."""
        try:
            return self.judge(scores)
        except CannotTell as reason:
            return untestable(str(reason))


def untestable(reason: str) -> Verdict:
    """No verdict, and why."""
    return Verdict(Outcome.UNTESTABLE, nan, nan, nan, 0, reason)


def everywhere(findings: Sequence[Finding]) -> Verdict:
    """A claim about every setting: reproduced where all findings hold, conditional where some do."""
    shown = [found for found in findings if not found.is_void]
    if not shown:
        raise CannotTell("the scores have no setting that the claim speaks of")
    worst = min(shown, key=lambda found: found.effect)
    held = [found.setting for found in shown if found.holds]
    failed = [found.setting for found in shown if found.fails]
    unclear = [found.setting for found in shown if not found.holds and not found.fails]
    void = [found.setting for found in findings if found.is_void]
    kinds = (("holds", held), ("fails", failed), ("no difference seen", unclear), ("no result", void))
    notes = [f"{word} {_list(settings, len(findings))}" for word, settings in kinds if settings and len(findings) > 1]
    n = min(found.n for found in shown)
    if len(held) == len(findings):
        outcome = Outcome.REPRODUCED
        notes = [f"least margin at {worst.setting}"] if len(findings) > 1 else []
    elif held:
        outcome = Outcome.CONDITIONAL
    elif failed or void or n >= ENOUGH_TO_DENY:
        outcome = Outcome.NOT_REPRODUCED
    else:
        outcome = Outcome.UNTESTABLE
        notes = [f"the interval includes zero, and {n} trials are too few to say more"]
    return Verdict(outcome, worst.effect, worst.low, worst.high, n, "; ".join(notes))


def somewhere(findings: Sequence[Finding]) -> Verdict:
    """A claim that something happens at least once: only the most favourable setting counts."""
    shown = [found for found in findings if not found.is_void]
    if not shown:
        raise CannotTell("the scores have no setting that the claim speaks of")
    best = max(shown, key=lambda found: found.low)
    verdict = everywhere([best])
    return replace(verdict, note="; ".join(filter(None, [f"at best, {best.setting}", verdict.note])))


def _list(settings: Sequence[str], total: int) -> str:
    if len(settings) > NAMED:
        return f"in {len(settings)} of {total} settings ({settings[0]} … {settings[-1]})"
    return "at " + " and ".join(settings)


#: From best to worst.
GRADES = ("full", "subset", "stand-in")


def worst_grade(grades: Sequence[str]) -> str:
    """The grade that limits a verdict; "no data" where it rests on none."""
    return max(grades, key=GRADES.index) if grades else "no data"


def graded(verdict: Verdict, grades: dict[str, str]) -> Verdict:
    """A verdict as the data allows it: what a stand-in shows is said of the stand-in only."""
    others = [dataset for dataset, grade in grades.items() if grade == "stand-in"]
    if not others or verdict.outcome is Outcome.UNTESTABLE:
        return verdict
    said = {Outcome.REPRODUCED: "holds for", Outcome.CONDITIONAL: "in part for"}
    words = f"{said.get(verdict.outcome, 'fails for')} the stand-in of {' and '.join(others)} only"
    outcome = Outcome.CONDITIONAL if verdict.outcome is Outcome.REPRODUCED else verdict.outcome
    return replace(verdict, outcome=outcome, note="; ".join(filter(None, [words, verdict.note])))
