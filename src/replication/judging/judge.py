"""Stage `claims`: every claim of the papers held against the scores of its figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from replication.engine.storage import load_json
from replication.engine.task import read_scores
from replication.judging.claim import Claim
from replication.judging.power import trials_to_decide
from replication.judging.statistics import pool, simultaneous_tail
from replication.judging.verdicts import (
    FEWEST_TO_AVERAGE,
    CannotTell,
    Finding,
    Observation,
    Outcome,
    Quantifier,
    Verdict,
    find,
    least_favourable,
    limit_by_grade,
    most_favourable,
    rule,
    summary,
    worst_grade,
)

COLUMNS = ["paper", "claim", "origin", "quantifier", "statement", "place", "figure", "verdict", "quantity", "unit"]
COLUMNS += ["printed", "ours", "low", "high", "threshold", "settings", "trials", "grade", "note", "shown", "short"]
COLUMNS += ["margin", "margin_low", "margin_high", "why"]
SETTINGS = ["paper", "claim", "setting", "effect", "low", "high", "trials", "outcome"]

#: What real data says of all of its settings, or against each, may be otherwise where there is a stand-in.
_WHERE_REAL = {(Outcome.REPRODUCED, Quantifier.ALL), (Outcome.CONTRADICTED, Quantifier.SOME)}

#: The folder of each figure's scores, by (paper, figure).
Folders = Mapping[tuple[str, str], Path]


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


def judge(papers: Iterable[str], scores: Iterable[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One row a claim, and one row a setting of each."""
    folders = {(path.parent.parent.name, path.parent.name): path.parent for path in map(Path, scores)}
    return verdicts(papers, folders)


def verdicts(papers: Iterable[str], folders: Folders) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All claims of the papers, in their order, and their settings; without its figure a claim cannot be tested."""
    tables: dict[tuple[str, str], tuple[pd.DataFrame, dict[str, str]]] = {}
    claims, settings = [], []
    for paper in papers:
        for claim in claims_of(paper):
            key = paper, claim.figure
            if key in folders and key not in tables:
                tables[key] = load(folders[key])
            verdict, grade = judge_claim(claim, *tables[key]) if key in tables else _missing(claim)
            claims.append(row_of(paper, claim, verdict, grade))
            settings += list(_settings(paper, claim, verdict.findings))
    return pd.DataFrame(claims, columns=COLUMNS), pd.DataFrame(settings, columns=SETTINGS)


def load(folder: Path) -> tuple[pd.DataFrame, dict[str, str]]:
    """A figure's scores, and the grade of each of its data sets."""
    data = load_json(folder / "scores.meta.json")["data"]
    return read_scores(folder / "scores.csv"), {item["dataset"]: item["grade"] for item in data}


def _missing(claim: Claim) -> tuple[Verdict, str]:
    """The verdict on a claim without scores."""
    verdict = Verdict(Outcome.UNTESTABLE, note="the figure is not in this run's configuration")
    return verdict, "" if claim.datasets else worst_grade([])


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
            return replace(verdict, outcome=outcome, note=note), worst_grade(list(real.values()))
    # A claim on data that this run does not have rests on nothing that could be graded.
    grade = worst_grade(list(grades.values())) if grades or claim.rests_on_all or not claim.datasets else ""
    return decide(claim, scores, grades), grade


def row_of(paper: str, claim: Claim, verdict: Verdict, grade: str) -> dict[str, Any]:
    """A claim's row of the table."""
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
        "settings": len(verdict.findings),
        "trials": verdict.trials,
        "grade": grade,
        "note": verdict.note,
        "shown": verdict.shown,
        "short": claim.short or claim.statement,
        "margin": margin,
        "margin_low": least,
        "margin_high": most,
        "why": claim.matters.why,
    }


def _settings(paper: str, claim: Claim, findings: Iterable[Finding]) -> Iterator[dict[str, Any]]:
    for found in findings:
        numbers = {"effect": found.effect, "low": found.low, "high": found.high, "trials": found.trials}
        about = {"paper": paper, "claim": claim.id, "setting": found.setting}
        yield {**about, **numbers, "outcome": str(found.settled)}
