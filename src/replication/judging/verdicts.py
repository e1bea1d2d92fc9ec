"""What was seen in one setting, and the rule by which observations become a verdict."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil, isnan, nan

#: A note names settings up to this many, then counts them.
NAMED = 3


class Quantifier(StrEnum):
    """Of how many of its settings a claim speaks, or that it states a number."""

    ALL = "all"
    TYPICAL = "typical"
    SOME = "some"
    NUMBER = "number"


class Outcome(StrEnum):
    """What can be said of a claim."""

    REPRODUCED = "reproduced"
    CONTRADICTED = "contradicted"
    CONDITIONAL = "conditional"
    UNDECIDED = "undecided"
    UNTESTABLE = "untestable"


class Settled(StrEnum):
    """What can be said of one setting; it is void where the method has no result to show."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"
    VOID = "void"


class Form(StrEnum):
    """What is claimed of an effect: that it is above zero, that it is zero, or that it is the number printed."""

    MORE = "more"
    SAME = "same"
    PRINTED = "printed"


class CannotTell(Exception):  # noqa: N818 - it is an answer, not an error
    """The scores at hand cannot decide a claim; the message says why."""


@dataclass(frozen=True, eq=False)
class Observation(ABC):
    """What was seen in one setting. The judge asks for its interval, who alone knows how many settings there are.

    `form` is what is claimed of the effect, `printed` the number that the paper prints, NaN where it prints none, and
    `rounding` half a unit of that number's last digit.
    """

    setting: str
    form: Form = field(default=Form.MORE, kw_only=True)
    printed: float = field(default=nan, kw_only=True)
    rounding: float = field(default=0.0, kw_only=True)

    @property
    @abstractmethod
    def trials(self) -> int:
        """How many trials it rests on: none where nothing is random."""

    @abstractmethod
    def interval(self, tail: float) -> tuple[float, float, float]:
        """The effect, and an interval that misses it with probability `tail` on either side; NaN where it is void."""


@dataclass(frozen=True)
class Target:
    """What a claim says of an effect, and the smallest effect that matters."""

    form: Form
    matters: float
    printed: float = nan
    rounding: float = 0.0

    @property
    def _centre(self) -> float:
        return self.printed if self.form is Form.PRINTED else 0.0

    @property
    def _reach(self) -> float:
        """A printed number is known up to its rounding."""
        return self.matters + (self.rounding if self.form is Form.PRINTED else 0.0)

    def settles(self, effect: float, low: float, high: float) -> Settled:
        """What an interval settles.

        A difference fails where its interval lies below the smallest effect that matters, even if above zero: real,
        and too small to matter. An equality holds where the interval lies within ± that effect, and fails where it
        lies outside.
        """
        if isnan(effect):
            return Settled.VOID
        if self.form is Form.MORE:
            fails, holds = high < self.matters, low > 0
        else:
            least, most = self._centre - self._reach, self._centre + self._reach
            fails, holds = low > most or high < least, least <= low and high <= most
        return Settled.FAILS if fails else Settled.HOLDS if holds else Settled.UNDECIDED

    def margins(self, effect: float, low: float, high: float) -> tuple[float, float, float]:
        """Effect and interval as margins towards the claim's side, in units of the smallest effect that matters.

        Of an equality: how much of what it may differ by is left.
        """
        if self.form is Form.MORE:
            return effect / self.matters, low / self.matters, high / self.matters
        off, below, above = (abs(value - self._centre) for value in (effect, low, high))
        nearest = 0.0 if low <= self._centre <= high else min(below, above)
        margins = ((self._reach - gap) / self.matters for gap in (off, max(below, above), nearest))
        return next(margins), next(margins), next(margins)


@dataclass(frozen=True)
class Finding:
    """An observation with its interval, and what that settles."""

    setting: str
    effect: float
    low: float
    high: float
    trials: int
    target: Target

    @property
    def settled(self) -> Settled:
        """What the interval settles."""
        return self.target.settles(self.effect, self.low, self.high)

    @property
    def favour(self) -> float:
        """The margin at the end of the interval that decides against the claim."""
        return self.target.margins(self.effect, self.low, self.high)[1]


@dataclass(frozen=True)
class Verdict:
    """What was found of a claim; `ours` is what its quantifier asks to be shown, at the setting `shown`.

    `hangs_on` are the open choices that turn it. Where the grade of its data allows to say less than was seen, what was
    seen is `limited`.
    """

    outcome: Outcome
    ours: float = nan
    low: float = nan
    high: float = nan
    target: Target | None = None
    findings: tuple[Finding, ...] = ()
    note: str = ""
    shown: str = ""
    hangs_on: tuple[str, ...] = ()
    limited: Outcome | None = None

    @property
    def seen(self) -> Outcome:
        """The outcome on the data at hand, before their grade limits it."""
        return self.limited or self.outcome

    @property
    def trials(self) -> int:
        """The fewest trials that a setting rests on; none where nothing is random."""
        return min((found.trials for found in self.findings if found.trials), default=0)

    @property
    def margins(self) -> tuple[float, float, float]:
        """`ours` with its interval, as margins in units of the smallest effect that matters."""
        return (nan, nan, nan) if self.target is None else self.target.margins(self.ours, self.low, self.high)


def find(observation: Observation, tail: float, matters: float) -> Finding:
    """An observation with its interval."""
    target = Target(observation.form, matters, observation.printed, observation.rounding)
    return Finding(observation.setting, *observation.interval(tail), observation.trials, target)


def needed(quantifier: Quantifier, settings: int, share: float) -> tuple[int, int]:
    """How many settings must hold to reproduce a claim, and fail to contradict it."""
    if quantifier is Quantifier.SOME:
        return 1, settings
    typical = ceil(share * settings - 1e-9)
    return (typical, typical) if quantifier is Quantifier.TYPICAL else (settings, 1)


def rule(quantifier: Quantifier, settled: Sequence[Settled], share: float) -> Outcome:
    """The verdict on a claim from what its settings settle; a void setting is out of the count."""
    holds, fails, open_, _ = (list(settled).count(kind) for kind in Settled)
    settings = holds + fails + open_
    if not settings:
        return Outcome.UNTESTABLE
    enough, against = needed(quantifier, settings, share)
    if holds >= enough and fails >= against:
        return Outcome.CONDITIONAL
    if holds >= enough:
        return Outcome.REPRODUCED
    if fails >= against:
        return Outcome.CONTRADICTED
    return Outcome.CONDITIONAL if holds and fails else Outcome.UNDECIDED


def turning(base: Outcome) -> set[Outcome]:
    """What an alternative has to say to turn a verdict; a refutation stands only if every fair reading refutes."""
    if base is Outcome.CONTRADICTED:
        return {Outcome.REPRODUCED, Outcome.CONDITIONAL, Outcome.UNDECIDED}
    return {Outcome.REPRODUCED, Outcome.CONTRADICTED} - {base}


def weigh(base: Outcome, others: Sequence[tuple[str, Outcome]]) -> tuple[Outcome, tuple[str, ...]]:
    """The verdict in view of a paper's open choices, and the choices it hangs on; `others` are by choice.

    Conditional is what not every alternative contradicts as the base does, what one contradicts that the base
    reproduces, and what the base leaves open and alternatives decide both ways.
    """
    seen, turned = {other for _, other in others}, turning(base)
    open_ = base in {Outcome.UNDECIDED, Outcome.CONDITIONAL}
    if base is Outcome.UNTESTABLE or not seen & turned or (open_ and not turned <= seen):
        return base, ()
    return Outcome.CONDITIONAL, tuple(dict.fromkeys(choice for choice, other in others if other in turned))


def least_favourable(findings: Sequence[Finding]) -> Finding:
    """The finding that speaks most against the claim: of those that fail, else of the undecided, else of all."""
    order = Settled.FAILS, Settled.UNDECIDED, Settled.HOLDS, Settled.VOID
    return min(findings, key=lambda found: (order.index(found.settled), found.favour))


def most_favourable(findings: Sequence[Finding]) -> Finding:
    """The finding that speaks most for the claim."""
    order = Settled.HOLDS, Settled.UNDECIDED, Settled.FAILS, Settled.VOID
    return min(findings, key=lambda found: (order.index(found.settled), -found.favour))


def summary(findings: Sequence[Finding]) -> str:
    """Which settings hold, which fail, which stay undecided and which have no result."""
    words = {Settled.HOLDS: "holds", Settled.FAILS: "fails", Settled.UNDECIDED: "undecided", Settled.VOID: "no result"}
    parts = []
    for kind, word in words.items():
        settings = [found.setting for found in findings if found.settled is kind]
        if settings and len(findings) > 1:
            parts.append(f"{word} {_list(settings, len(findings))}")
    return "; ".join(parts)


def _list(settings: Sequence[str], total: int) -> str:
    if len(settings) == total:
        return f"in all {total} settings"
    if len(settings) > NAMED:
        return f"in {len(settings)} of {total} settings ({settings[0]} … {settings[-1]})"
    return "at " + " and ".join(settings)


#: Of fewer settings the mean says little: what is shown of a typical claim is then the least favourable one.
FEWEST_TO_AVERAGE = 3
#: From best to worst.
GRADES = ("full", "subset", "stand-in")


def worst_grade(grades: Sequence[str]) -> str:
    """The grade that limits a verdict; "no data" where it rests on none."""
    return max(grades, key=_rank) if grades else "no data"


def _rank(grade: str) -> tuple[int, bool]:
    """Worse grades come later, and after each what nobody has vouched for (`full, unverified`)."""
    name, _, doubt = grade.partition(", ")
    return GRADES.index(name), bool(doubt)


def limit_by_grade(verdict: Verdict, grades: Mapping[str, str]) -> Verdict:
    """A verdict as the data allows it: what a stand-in shows is said of the stand-in only, whichever way it goes."""
    others = [dataset for dataset, grade in grades.items() if grade.startswith("stand-in")]
    if not others or verdict.outcome is Outcome.UNTESTABLE:
        return verdict
    said = {
        Outcome.REPRODUCED: "holds for",
        Outcome.CONTRADICTED: "fails for",
        Outcome.CONDITIONAL: "holds in part for",
        Outcome.UNDECIDED: "undecided for",
    }
    words = f"{said[verdict.outcome]} the stand-in of {' and '.join(others)} only"
    turned = verdict.outcome in (Outcome.REPRODUCED, Outcome.CONTRADICTED)
    outcome = Outcome.CONDITIONAL if turned else verdict.outcome
    return replace(verdict, outcome=outcome, limited=verdict.seen, note="; ".join(filter(None, [words, verdict.note])))
