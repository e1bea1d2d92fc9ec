"""Stage `claims`: every claim of the papers held against the scores of its figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from replication.engine.storage import load_json
from replication.engine.task import read_scores
from replication.judging.claim import Claim, Measure
from replication.judging.multiverse.settings import AS_STATED, BASE, FULL, universe
from replication.judging.power import trials_to_decide
from replication.judging.statistics import pool, simultaneous_tail
from replication.judging.verdicts import (
    FEWEST_TO_AVERAGE,
    CannotTell,
    Finding,
    Observation,
    Outcome,
    Quantifier,
    Settled,
    Verdict,
    find,
    least_favourable,
    limit_by_grade,
    most_favourable,
    rule,
    summary,
    turning,
    weigh,
    worst_grade,
)

COLUMNS = ["paper", "claim", "origin", "quantifier", "statement", "place", "figure", "verdict", "quantity", "unit"]
COLUMNS += ["printed", "ours", "low", "high", "threshold", "settings", "trials", "grade", "note", "shown", "short"]
COLUMNS += ["margin", "margin_low", "margin_high", "why", "headline", "hangs_on", "choices"]
SETTINGS = ["paper", "claim", "setting", "effect", "low", "high", "trials", "outcome"]
#: What a paper leaves open, claim by claim: how many alternatives were judged, and whether one turns the verdict.
CHOICES = ["paper", "claim", "choice", "says", "took", "alternatives", "judged", "turns"]
#: A row of the multiverse: a claim as it is taken, or under one other choice. Its scale is `full`, `reduced` or, where
#: only our own measures of judging are others, `ours`; full ones alone turn a verdict. What was seen may be more than
#: the grade of the data allows the verdict to say.
UNIVERSES = ["paper", "claim", "universe", "choice", "value", "verdict", "effect", "low", "high", "scale", "seen"]
OURS = "ours"
#: Stands before universes in which nothing ran again: in place of the figure's name.
JUDGING = "judging"

#: What real data says of all of its settings, or against each, may be otherwise where there is a stand-in.
_WHERE_REAL = {(Outcome.REPRODUCED, Quantifier.ALL), (Outcome.CONTRADICTED, Quantifier.SOME)}

Row = dict[str, Any]
#: A figure's scores, and the grade of each of its data sets.
Table = tuple[pd.DataFrame, dict[str, str]]


def claims_of(paper: str) -> Sequence[Claim]:
    """The claims of a paper, from its module."""
    claims: Sequence[Claim] = import_module(f"replication.papers.{paper}.claims").CLAIMS
    return claims


def decide(claim: Claim, scores: pd.DataFrame, grades: Mapping[str, str] | None = None) -> Verdict:
    """The verdict on a claim from its figure's scores, as the grades of its data sets allow it."""
    try:
        return limit_by_grade(_measure(claim, scores), grades or {})
    except CannotTell as reason:
        return Verdict(Outcome.UNTESTABLE, note=str(reason))


def _measure(claim: Claim, scores: pd.DataFrame) -> Verdict:
    observations = list(claim.measure(scores))
    tail = simultaneous_tail(observations)
    findings = tuple(find(seen, tail, claim.matters.value) for seen in observations)
    outcome = rule(claim.quantifier, [found.settled for found in findings], claim.share)
    if outcome is Outcome.UNTESTABLE:
        raise CannotTell("the scores have no setting that the claim speaks of")
    note = "; ".join(filter(None, [summary(findings), _advice(claim, observations, findings, outcome)]))
    if claim.quantifier is Quantifier.TYPICAL and len(findings) >= FEWEST_TO_AVERAGE:
        ours, low, high = pool(observations)
        return Verdict(outcome, ours, low, high, findings[0].target, findings, note)
    shown = (most_favourable if claim.quantifier is Quantifier.SOME else least_favourable)(findings)
    return Verdict(outcome, shown.effect, shown.low, shown.high, shown.target, findings, note, shown.setting)


def _advice(claim: Claim, observations: Sequence[Observation], findings: Sequence[Finding], outcome: Outcome) -> str:
    """How many trials would decide an undecided claim."""
    if outcome is not Outcome.UNDECIDED or not any(found.trials for found in findings):
        return ""
    shared = [float(getattr(seen, "shared", 0.0)) for seen in observations]
    trials = trials_to_decide(findings, shared, claim.quantifier, claim.share)
    return "more trials alone would not decide" if trials is None else f"about {_round(trials)} trials would decide"


def _round(trials: int) -> str:
    """To two digits, upwards."""
    step = 10 ** max(0, len(str(trials)) - 2)
    return f"{-(-trials // step) * step:,}"


def judge(
    papers: Iterable[str], scores: Iterable[str], runs: Iterable[str]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The claims, their settings, what the papers leave open of them, and all universes: those that ran are `runs`."""
    folders = {(path.parent.parent.name, path.parent.name): path.parent for path in map(Path, scores)}
    claims, settings, choices, universes = [], [], [], []
    ran: dict[tuple[str, str], list[Row]] = {}
    for row in read_runs(runs):
        ran.setdefault((row["paper"], row["claim"]), []).append(row)
    for paper in papers:
        own = {figure: folder for (of, figure), folder in folders.items() if of == paper}
        tables = cache(lambda figure, own=own: load(own[figure]) if figure in own else None)
        for claim in claims_of(paper):
            verdict, grade, rows = judge_openly(claim, paper, tables, ran.get((paper, claim.id), []))
            claims.append(row_of(paper, claim, verdict, grade, len(list(_judged(claim, rows)))))
            settings += list(_settings(paper, claim, verdict.findings))
            choices += list(_choices(paper, claim, verdict, rows))
            universes += rows
    made = zip((claims, settings, choices, universes), (COLUMNS, SETTINGS, CHOICES, UNIVERSES), strict=True)
    one, two, three, four = (pd.DataFrame(rows, columns=columns) for rows, columns in made)
    return one, two, three, four


def read_runs(paths: Iterable[str]) -> Iterator[Row]:
    """The universes that ran. A choice's value is text, whatever stands beside it in a file: 2 is not 2.0."""
    for path in paths:
        yield from read_scores(Path(path), text=["value"]).to_dict("records")


def judge_openly(
    claim: Claim, paper: str, tables: Callable[[str], Table | None], again: Sequence[Row]
) -> tuple[Verdict, str, list[Row]]:
    """The verdict in view of what the paper leaves open, the grade of the data, and every universe of the claim.

    `tables` gives a figure's scores and the grades of its data, by its name.
    """

    def judged(one: Claim) -> tuple[Verdict, str]:
        found = tables(one.figure)
        missing = Verdict(Outcome.UNTESTABLE, note="the figure is not in this run's configuration")
        return (missing, "" if one.datasets else worst_grade([])) if found is None else judge_claim(one, *found)

    once = replace(claim, measure=_look_once(claim.measure), choices=())
    base, grade = judged(once)
    rows = [universe_row(paper, claim, JUDGING, (BASE, AS_STATED), base, FULL)]
    for scale, others in ((OURS, once.judged_otherwise()), (FULL, claim.alternatives())):
        for choice, value, other in others:
            rows.append(universe_row(paper, claim, JUDGING, (choice, value), judged(other)[0], scale))
    rows += again
    outcome, hangs_on = weigh(base.seen, [(row["choice"], Outcome(row["seen"])) for row in _judged(claim, rows)])
    if not hangs_on:
        return base, grade, rows
    turned = (row for row in _judged(claim, rows) if row["choice"] in hangs_on and row["seen"] in turning(base.seen))
    told = ", ".join(f"{row['seen']} with {row['choice']} = {row['value']}" for row in turned)
    note = "; ".join(filter(None, [f"{base.seen} as taken, {told}", base.note]))
    return replace(base, outcome=outcome, note=note, hangs_on=hangs_on), grade, rows


def _judged(claim: Claim, rows: Iterable[Row]) -> Iterator[Row]:
    """The alternatives of a claim's own choices that were judged at the base's scale."""
    own = {choice.name for choice in claim.choices}
    return (row for row in rows if row["choice"] in own and row["scale"] == FULL and row["seen"] != "untestable")


def universe_row(paper: str, claim: Claim, place: str, chosen: tuple[str, str], verdict: Verdict, scale: str) -> Row:
    """A claim's row of one universe of a place: a figure, or `JUDGING`."""
    name = f"{place}/{universe(*chosen)}"
    numbers = str(verdict.outcome), verdict.ours, verdict.low, verdict.high, scale, str(verdict.seen)
    return dict(zip(UNIVERSES, (paper, claim.id, name, *chosen, *numbers), strict=True))


def _look_once(measure: Measure) -> Measure:
    """A measure for claims that differ in how they judge what it saw: it looks at each choice of its table's rows once.

    The judge shows it all scores, or those without stand-ins.
    """
    seen: dict[bytes, Sequence[Observation] | CannotTell] = {}

    def look(scores: pd.DataFrame) -> Sequence[Observation]:
        rows = scores.index.to_numpy().tobytes()
        if rows not in seen:
            try:
                seen[rows] = list(measure(scores))
            except CannotTell as reason:
                seen[rows] = reason
        found = seen[rows]
        if isinstance(found, CannotTell):
            raise found
        return found

    return look


def load(folder: Path) -> Table:
    """A figure's scores, and the grade of each of its data sets."""
    data = load_json(folder / "scores.meta.json")["data"]
    return read_scores(folder / "scores.csv"), {item["dataset"]: item["grade"] for item in data}


def judge_claim(claim: Claim, scores: pd.DataFrame, known: Mapping[str, str]) -> tuple[Verdict, str]:
    """The verdict, and the grade of the data that it rests on, from a figure's scores and its data sets' grades."""
    grades = known if claim.rests_on_all else {name: known[name] for name in claim.datasets if name in known}
    stand_ins = [name for name, grade in grades.items() if grade.startswith("stand-in")]
    if stand_ins and len(stand_ins) < len(grades) and "dataset" in scores:
        # What real data can settle, stand-ins beside it do not turn.
        real = {name: grade for name, grade in grades.items() if name not in stand_ins}
        verdict = decide(claim, scores[~scores["dataset"].isin(stand_ins)], real)
        if verdict.outcome is not Outcome.UNTESTABLE:
            words = f"without the stand-in of {' and '.join(stand_ins)}"
            note = "; ".join(filter(None, [words, verdict.note]))
            partly = (verdict.outcome, claim.quantifier) in _WHERE_REAL
            outcome = Outcome.CONDITIONAL if partly else verdict.outcome
            return replace(verdict, outcome=outcome, limited=verdict.seen, note=note), worst_grade(list(real.values()))
    # A claim on data that this run does not have rests on nothing that could be graded.
    grade = worst_grade(list(grades.values())) if grades or claim.rests_on_all or not claim.datasets else ""
    return decide(claim, scores, grades), grade


def row_of(paper: str, claim: Claim, verdict: Verdict, grade: str, choices: int) -> Row:
    """A claim's row of the table; `choices` alternatives were judged."""
    margin, least, most = verdict.margins
    return {
        "paper": paper,
        "claim": claim.id,
        "origin": str(claim.origin),
        "quantifier": str(claim.quantifier),
        "statement": claim.statement,
        "place": claim.place,
        "figure": claim.figure,
        "verdict": str(verdict.outcome),
        "quantity": claim.quantity,
        "unit": claim.unit,
        "printed": float("nan") if verdict.target is None else verdict.target.printed,
        "ours": verdict.ours,
        "low": verdict.low,
        "high": verdict.high,
        "threshold": claim.matters.value,
        "settings": sum(found.settled is not Settled.VOID for found in verdict.findings),
        "trials": verdict.trials,
        "grade": grade,
        "note": verdict.note,
        "shown": verdict.shown,
        "short": claim.short or claim.statement,
        "margin": margin,
        "margin_low": least,
        "margin_high": most,
        "why": claim.matters.why,
        "headline": str(claim.headline).lower(),
        "hangs_on": " ".join(verdict.hangs_on),
        "choices": choices,
    }


def _choices(paper: str, claim: Claim, verdict: Verdict, rows: Sequence[Row]) -> Iterator[Row]:
    for choice in claim.choices:
        values = [row["value"] for row in _judged(claim, rows) if row["choice"] == choice.name]
        about = {"paper": paper, "claim": claim.id, "choice": choice.name, "says": choice.says, "took": choice.took}
        turns = str(choice.name in verdict.hangs_on).lower()
        yield {**about, "alternatives": "; ".join(values), "judged": len(values), "turns": turns}


def _settings(paper: str, claim: Claim, findings: Iterable[Finding]) -> Iterator[Row]:
    for found in findings:
        numbers = found.effect, found.low, found.high, found.trials, str(found.settled)
        yield dict(zip(SETTINGS, (paper, claim.id, found.setting, *numbers), strict=True))
