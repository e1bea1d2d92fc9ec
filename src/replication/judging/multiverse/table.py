"""The table of the multiverse: the figures that ran under other protocols, and the same scores judged otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from replication.engine.task import read_scores
from replication.judging.claim import Claim, Measure
from replication.judging.judge import Folders, claims_of, judge_claim, load
from replication.judging.multiverse.settings import AS_STATED, BASE, Universe, universe
from replication.judging.verdicts import CannotTell, Observation, Outcome, Verdict

COLUMNS = ["paper", "claim", "universe", "choice", "value", "verdict", "effect", "low", "high"]
#: Stands before universes in which nothing ran again: in place of the figure's name.
JUDGING = "judging"

Row = dict[str, Any]


def seen(run: Universe, scores: pd.DataFrame, grades: Mapping[str, str]) -> list[Row]:
    """The claims of a figure from what one universe's scores are."""
    return [_row(run, claim, judge_claim(claim, scores, grades)[0]) for claim in _claims(run)]


def unseen(run: Universe) -> list[Row]:
    """The claims of a figure that could not run so."""
    return [_row(run, claim, Verdict(Outcome.UNTESTABLE)) for claim in _claims(run)]


def _claims(run: Universe) -> list[Claim]:
    return [claim for claim in claims_of(run.figure.paper) if claim.figure == run.figure.name]


def _row(run: Universe, claim: Claim, verdict: Verdict) -> Row:
    return _cells(run.figure.paper, claim.id, run.name, run.choice, run.value, verdict)


def _cells(paper: str, claim: str, name: str, choice: str, value: str, verdict: Verdict) -> Row:
    found = (str(verdict.outcome), verdict.ours, verdict.low, verdict.high)
    return dict(zip(COLUMNS, (paper, claim, name, choice, value, *found), strict=True))


def judge_otherwise(claim: Claim, paper: str, scores: pd.DataFrame, grades: Mapping[str, str]) -> Iterator[Row]:
    """A claim as it is stated, and under every other choice of its own, from the same scores."""
    measure = _looking_once(claim.measure)
    for choice, value, other in [(BASE, AS_STATED, claim), *claim.otherwise()]:
        name = f"{JUDGING}/{universe(choice, spelt(value))}"
        asked = replace(other, measure=measure, choices={}) if other.measure is claim.measure else other
        yield _cells(paper, claim.id, name, choice, spelt(value), judge_claim(asked, scores, grades)[0])


def _looking_once(measure: Measure) -> Measure:
    """A measure for claims that differ in how they judge what it saw: it looks at each table once.

    The judge shows it all scores, or those without stand-ins: of one claim's tables, as many rows are the same rows.
    """
    seen: dict[int, Sequence[Observation] | CannotTell] = {}

    def once(scores: pd.DataFrame) -> Sequence[Observation]:
        if len(scores) not in seen:
            try:
                seen[len(scores)] = list(measure(scores))
            except CannotTell as reason:
                seen[len(scores)] = reason
        found = seen[len(scores)]
        if isinstance(found, CannotTell):
            raise found
        return found

    return once


def spelt(value: object) -> str:
    """A value of a choice in few words."""
    if isinstance(value, tuple | list):
        return " ".join(map(spelt, value)) or "none"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def all_otherwise(papers: Iterable[str], folders: Folders, figures: Collection[tuple[str, str]]) -> Iterator[Row]:
    """Every claim about one of the figures, or with choices of its own, that has scores."""
    for paper in papers:
        for claim in claims_of(paper):
            place = paper, claim.figure
            if place in folders and (place in figures or claim.choices):
                yield from judge_otherwise(claim, paper, *load(folders[place]))


def gather(runs: Iterable[str], papers: Iterable[str], scores: Iterable[str], figures: Any) -> pd.DataFrame:
    """The table: claim by claim in their order, the same scores judged otherwise before what ran otherwise."""
    names = list(papers)
    folders = {(path.parent.parent.name, path.parent.name): path.parent for path in map(Path, scores)}
    again = pd.DataFrame(all_otherwise(names, folders, figures), columns=COLUMNS)
    table = pd.concat([again, *map(read_scores, map(Path, runs))], ignore_index=True)
    order = [(paper, claim.id) for paper in names for claim in claims_of(paper)]
    ranks = [order.index(place) for place in zip(table["paper"], table["claim"], strict=True)]
    return table.assign(rank=ranks).sort_values("rank", kind="stable")[COLUMNS]
