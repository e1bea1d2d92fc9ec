"""No verdict is hard-coded: every claim's verdict follows from its scores, and turns when they do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.replication.judging import cases_class_ratio, cases_linear_moments, cases_mean_operator, cases_spread

from project import ROOT
from replication.judging.claim import Claim
from replication.judging.judge import claims_of, decide, row_of
from replication.judging.statistics import exactly
from replication.judging.verdicts import Form, Outcome
from replication.papers.mean_operator.table1 import score as table_1

CASES = {
    "linear_moments": cases_linear_moments.cases(),
    "mean_operator": cases_mean_operator.cases(),
    "class_ratio": cases_class_ratio.cases(),
    "spread": cases_spread.cases(),
}
CLAIMS = [pytest.param(paper, claim, id=f"{paper}:{claim.id}") for paper in CASES for claim in claims_of(paper)]
CONTRACT = yaml.safe_load((ROOT / "tests/workflow/columns.yaml").read_text(encoding="utf-8"))

#: Columns that claims use beyond those promised, where they are there.
MORE = {
    ("linear_moments", "trap"): {"n", "trial"},
    ("linear_moments", "fig3"): {"degrees"},
    ("linear_moments", "fig7"): {"lead_beam_sd", "lead_exact_sd"},
    ("linear_moments", "fig7_steps"): {"best", "chosen", "lead_beam_sd", "lead_exact_sd"},
    ("linear_moments", "fig7_size"): {"lead_beam_sd"},
    ("linear_moments", "fig7_inference"): {"trial"},
    ("mean_operator", "table1"): set(table_1.MORE),
    ("linear_moments", "fig6"): {"density"},
    ("linear_moments", "today_tags"): {"window", "passes", "work"},
    ("mean_operator", "release"): {"statistic_error"},
    ("mean_operator", "reconstruction"): {"majority"},
    ("class_ratio", "fig1"): {"draws", "spread"},
    ("class_ratio", "set_sizes"): {"mechanism", "method", "accuracy"},
    ("class_ratio", "membership"): {"attack"},
    ("spread", "appendix_b"): {"whitening", "intercept"},
    ("spread", "divergences"): {"target"},
    ("spread", "voting"): {"releases"},
    ("spread", "fig3"): set(cases_spread.RESAMPLED),
    ("spread", "attack"): {"sure", "right_when_sure", "users"},
}


def test_there_are_enough_claims_and_a_case_for_each() -> None:
    known = {paper: [claim.id for claim in claims_of(paper)] for paper in CASES}
    assert sum(map(len, known.values())) >= 30
    for paper, ids in known.items():
        assert len(set(ids)) == len(ids)
        assert set(ids) == set(CASES[paper])


@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_the_verdict_turns_with_the_scores(paper, claim) -> None:  # type: ignore[no-untyped-def]
    case = CASES[paper][claim.id]
    good, bad = decide(claim, case.holds), decide(claim, case.fails)
    assert good.outcome is Outcome.REPRODUCED, good
    assert good.findings
    assert good.low <= good.ours <= good.high
    assert bad.outcome in (Outcome.CONTRADICTED, Outcome.CONDITIONAL), bad


@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_too_few_trials_give_no_verdict_and_say_so(paper, claim) -> None:  # type: ignore[no-untyped-def]
    scores = CASES[paper][claim.id].holds
    repeated = "trial" in scores and scores["trial"].nunique() > 2
    if not repeated or not decide(claim, scores).trials:
        pytest.skip("exact: it needs no trials")
    verdict = decide(claim, scores[scores["trial"] == 0])
    assert verdict.outcome is Outcome.UNTESTABLE
    assert "too few" in verdict.note
    assert np.isnan(verdict.ours)


@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_scores_of_something_else_give_no_verdict(paper, claim) -> None:  # type: ignore[no-untyped-def]
    """Rows that the claim speaks of are missing: the data set, the method or the panel has another name."""
    scores = CASES[paper][claim.id].holds
    texts = [column for column in scores if pd.api.types.is_string_dtype(scores[column])]
    other = scores.assign(**{column: "other" for column in texts if scores[column].notna().any()})
    if not texts:
        pytest.skip("the claim is about whatever is there")
    assert decide(claim, other).outcome is Outcome.UNTESTABLE


@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_claims_speak_of_a_figure_and_its_columns(paper, claim) -> None:  # type: ignore[no-untyped-def]
    """A case has the columns that its figure promises, and few of those that it has besides."""
    promised = set(CONTRACT[paper].get(claim.figure, "").split(","))
    assert set(CASES[paper][claim.id].holds) <= promised | MORE.get((paper, claim.figure), set())
    assert claim.statement.endswith(".")
    assert claim.place


@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_only_what_is_exact_has_an_interval_without_width(paper, claim) -> None:  # type: ignore[no-untyped-def]
    for scores in (CASES[paper][claim.id].holds, CASES[paper][claim.id].fails):
        for found in decide(claim, scores).findings:
            assert (found.low < found.high) == bool(found.trials) or np.isnan(found.effect), found


#: Columns whose values statements may name, and words of the language among these.
NAMING = ("dataset", "mechanism", "loss", "bagging", "scheme")
COMMON_WORDS = {"none", "linear", "exponential"}


def names_in(scores: pd.DataFrame) -> dict[str, set[str]]:
    """The names in a table of scores, by column."""
    return {column: {*scores[column].dropna()} - COMMON_WORDS for column in NAMING if column in scores}


def unmeasured(claim: Claim, scores: pd.DataFrame, known: Iterable[dict[str, set[str]]]) -> list[str]:
    """The names of settings in a claim's statement without which its scores say the same of it."""
    before, statement = decide(claim, scores), claim.statement.lower()
    named = {
        (column, name)
        for table in known
        for column, names in table.items()
        for name in names
        if column in scores and re.search(rf"(?<!\w){re.escape(name.replace('_', ' '))}(?!\w)", statement)
    }
    # Songs are looked at where a subset of them is.
    without = {name: decide(claim, scores[~scores[column].str.startswith(name, na=False)]) for column, name in named}
    return sorted(name for name, verdict in without.items() if verdict.findings == before.findings)


@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_a_statement_names_no_setting_that_is_not_measured(paper, claim) -> None:  # type: ignore[no-untyped-def]
    known = [names_in(case.holds) for case in CASES[paper].values()]
    assert not unmeasured(claim, CASES[paper][claim.id].holds, known)


def test_a_name_that_nobody_looks_at_is_found() -> None:
    (claim,) = (claim for claim in claims_of("mean_operator") if claim.id == "hinge-is-not-linear-odd")
    scores = CASES["mean_operator"][claim.id].holds
    known = [names_in(scores), {"loss": {"moon"}}]
    assert unmeasured(claim, scores, known) == []
    wrong = replace(claim, statement="The hinge and the square loss do not satisfy it.")
    assert unmeasured(wrong, scores, known) == ["square"]
    assert unmeasured(replace(claim, statement="Nor does the moon."), scores, known) == ["moon"]


#: What tells which side of a difference is meant, or that it has none.
DIRECTION = r"\b(minus|less|over|beyond|above|below|left|leaves|lost|saves?d?|falls?|grows|growth|exponent)\b"
SIZE = r"\b(distance|difference|derivative|angle)\b|\|.+\||‖.+‖"


@pytest.mark.parametrize(("paper", "claim"), CLAIMS)
def test_a_difference_says_its_direction(paper, claim) -> None:  # type: ignore[no-untyped-def]
    found = decide(claim, CASES[paper][claim.id].holds).findings
    if any(finding.target.form is Form.MORE for finding in found):
        assert re.search(f"{DIRECTION}|{SIZE}", claim.quantity), claim.quantity


@pytest.mark.parametrize("paper", CASES)
def test_headlines_are_few(paper: str) -> None:
    assert len([claim for claim in claims_of(paper) if claim.headline]) <= 8


def test_settings_without_a_result_are_not_counted() -> None:
    (claim,) = (claim for claim in claims_of("mean_operator") if claim.id == "kinked-loss-bounds-the-0-1-loss")
    several = replace(claim, measure=lambda _: exactly({"a": 1.0, "b": np.nan, "c": 2.0}))
    verdict = decide(several, pd.DataFrame())
    assert verdict.outcome is Outcome.REPRODUCED
    assert row_of("mean_operator", several, verdict, "", 0)["settings"] == 2
    assert "no result at b" in verdict.note
