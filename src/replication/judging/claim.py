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
class Claim:
    """A statement of a paper in our words with its hypotheses, where it stands, and how a figure's scores measure it.

    `quantity` is what is measured, in `unit`; `matters` is its smallest effect of note. `datasets` are the data sets
    that the verdict rests on: none where it rests on no data, `ALL` where it rests on all that the figure reads.
    `share` is the share of settings of which a typical claim speaks; `short` is the statement in a few words. In
    `choices` stand other defensible values of what the measure chooses, by its keyword, or of `share`: the multiverse
    judges by them, too.
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
    choices: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require(self.quantity and self.unit, f"the claim {self.id} must name its quantity and its unit")
        require(0 < self.share <= 1, f"share must be in (0, 1]: {self.share}")
        for name in self.choices.keys() - choices_of(self.measure) - {"share"}:
            require(False, f"choices of the claim {self.id}: its measure does not choose '{name}'")

    @property
    def rests_on_all(self) -> bool:
        """Whether all data of the figure counts."""
        return self.datasets == ALL

    def otherwise(self) -> Iterator[tuple[str, Any, Claim]]:
        """The claim under every other choice, one at a time: the choice, its value, and the claim."""
        for word, factor in (("half", 0.5), ("double", 2.0)):
            yield "matters", word, replace(self, matters=replace(self.matters, value=factor * self.matters.value))
        for name, values in self.choices.items():
            for value in values:
                # A measure may have a choice of that name, too: it goes before the claim's.
                if name == "share" and name not in choices_of(self.measure):
                    yield name, value, replace(self, share=value)
                else:
                    yield name, value, replace(self, measure=partial(self.measure, **{name: value}))
