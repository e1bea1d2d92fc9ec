"""What a claim is: a statement of a paper, and how a figure's scores measure it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial, wraps
from inspect import signature
from math import isfinite
from typing import Any, Concatenate, ParamSpec, TypeAlias

import pandas as pd

from replication.judging.verdicts import Observation, Quantifier
from unveil.errors import require


class Origin(StrEnum):
    """Who makes a claim: a paper, or we, who ask beyond it."""

    PAPER = "paper"
    BEYOND = "beyond"


@dataclass(frozen=True)
class Matters:
    """The smallest effect that matters, in the unit of the claim's quantity, and the reason."""

    value: float
    why: str

    def __post_init__(self) -> None:
        require(isfinite(self.value) and self.value > 0, f"value must be positive and finite: {self.value}")
        require(self.why, "why must say why this effect is the smallest that matters")


#: Stands for every data set that a figure reads.
ALL = ("*",)

Measure: TypeAlias = Callable[[pd.DataFrame], Sequence[Observation]]
P = ParamSpec("P")


def measure(look: Callable[Concatenate[pd.DataFrame, P], Sequence[Observation]]) -> Callable[P, Measure]:
    """A function that looks at scores, turned into one that makes measures: called with choices it waits for scores."""
    names = list(signature(look).parameters)[1:]

    plain: Callable[..., Sequence[Observation]] = look

    @wraps(look)
    def choose(*args: P.args, **kwargs: P.kwargs) -> Measure:
        return partial(plain, **{**dict(zip(names, args, strict=False)), **kwargs})

    return choose


def choices_of(measure: Measure) -> set[str]:
    """The names of what can be chosen of a measure."""
    return set(signature(measure).parameters) - {"scores"}


@dataclass(frozen=True)
class On:
    """A measure of another figure's scores."""

    figure: str
    measure: Measure


#: What an alternative changes: keywords of a claim's measure, the measure, or the figure as well.
Otherwise: TypeAlias = Mapping[str, Any] | Measure | On


@dataclass(frozen=True)
class Choice:
    """What a paper leaves open and we had to decide.

    `says` is what the paper says of it, with the line of its text, or "silent"; `took` is what the base has. In
    `otherwise` stands, by a name, what a fair reader might take as well: keywords of the claim's measure, its `share`
    or its `quantifier`; another measure of the same scores; or one `On` another figure's. What is run again at the
    figure's own size under a choice of this name (`full` in config/multiverse.yaml) is an alternative, too. Without any
    the choice is declared.
    """

    name: str
    says: str
    took: str
    otherwise: Mapping[str, Otherwise] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(self.name and not set(self.name) & set(" ,;"), f"a choice's name must be one word: '{self.name}'")
        require(self.says and self.took, f"the choice {self.name} must say what the paper says and what we took")


def vary(name: str, says: str, took: str, **values: Sequence[Any]) -> Choice:
    """A choice between values of one keyword, each named by itself."""
    return Choice(name, says, took, {spelt(value): {key: value} for key, other in values.items() for value in other})


def spelt(value: object) -> str:
    """A value of a choice in few words."""
    if isinstance(value, tuple | list):
        return " ".join(map(spelt, value)) or "none"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


#: What an alternative may change of a claim beside its measure.
READ_OTHERWISE = {"share", "quantifier"}


@dataclass(frozen=True)
class Claim:
    """A statement of a paper in our words with its hypotheses, where it stands, and how a figure's scores measure it.

    `quantity` is what is measured, in `unit`; `matters` is its smallest effect of note. `datasets` are the data sets
    that the verdict rests on: none where it rests on no data, `ALL` where it rests on all that the figure reads.
    `share` is the share of settings of which a typical claim speaks; `short` is the statement in a few words. `choices`
    are what the paper leaves open: no verdict may hang on them unsaid. A `headline` is what the paper's abstract,
    introduction or conclusion says.
    """

    id: str
    statement: str
    place: str
    figure: str
    measure: Measure
    quantifier: Quantifier
    quantity: str
    unit: str
    matters: Matters
    datasets: tuple[str, ...] = ()
    origin: Origin = Origin.PAPER
    share: float = 2 / 3
    short: str = ""
    choices: tuple[Choice, ...] = ()
    headline: bool = False

    def __post_init__(self) -> None:
        require(self.quantity and self.unit, f"the claim {self.id} must name its quantity and its unit")
        require(0 < self.share <= 1, f"share must be in (0, 1]: {self.share}")
        for other in (other for choice in self.choices for other in choice.otherwise.values()):
            named = other.keys() if isinstance(other, Mapping) else set()
            for name in named - choices_of(self.measure) - READ_OTHERWISE:
                require(False, f"choices of the claim {self.id}: its measure does not choose '{name}'")

    @property
    def rests_on_all(self) -> bool:
        """Whether all data of the figure counts."""
        return self.datasets == ALL

    def alternatives(self) -> Iterator[tuple[str, str, Claim]]:
        """The claim under every alternative that scores can judge: the choice, the value, and the claim."""
        for choice in self.choices:
            for value, other in choice.otherwise.items():
                yield choice.name, value, self._under(other)

    def _under(self, other: Otherwise) -> Claim:
        if isinstance(other, On):
            return replace(self, figure=other.figure, measure=other.measure, choices=())
        if not isinstance(other, Mapping):
            return replace(self, measure=other, choices=())
        # A measure may choose what a claim has, too: it goes before the claim.
        chosen = {name: value for name, value in other.items() if name in choices_of(self.measure)}
        rest = {name: value for name, value in other.items() if name not in chosen}
        return replace(self, **rest, measure=partial(self.measure, **chosen) if chosen else self.measure, choices=())

    def judged_otherwise(self) -> Iterator[tuple[str, str, Claim]]:
        """The claim where our own measures of judging are others: the paper leaves open none of them, it knows none."""
        for word, factor in (("half", 0.5), ("double", 2.0)):
            yield "matters", word, replace(self, matters=replace(self.matters, value=factor * self.matters.value))
        if self.quantifier is Quantifier.TYPICAL:
            for share in (0.5, 1.0):
                yield "share", spelt(share), replace(self, share=share)
