"""No verdict is hard-coded: every claim's verdict follows from its scores, and turns when they do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import yaml
from tests.replication.judging import cases_class_ratio, cases_linear_moments, cases_mean_operator, cases_spread

from project import ROOT
from replication.judging.judge import claims_of, decide
from replication.judging.verdicts import Outcome

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
    ("linear_moments", "fig7_steps"): {"chosen", "lead_beam_sd", "lead_exact_sd"},
    ("linear_moments", "fig7_inference"): {"trial"},
    ("mean_operator", "table1"): {
        "even_residual",
        "printed_a",
        "risk_gap",
        "terms_gap",
        "same_mu_gap",
        "other_mu_gap",
        "likelihood_gap",
        "conjugate_gap",
    },
    ("linear_moments", "fig6"): {"density"},
    ("mean_operator", "release"): {"statistic_error"},
    ("mean_operator", "reconstruction"): {"majority"},
    ("class_ratio", "fig1"): {"draws", "spread"},
    ("class_ratio", "set_sizes"): {"mechanism", "method"},
    ("class_ratio", "membership"): {"dataset", "design", "rho", "trial", "attack_accuracy", "base_rate", "l1_error"},
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
