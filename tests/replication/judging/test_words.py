"""Claims in words: numbers to the digits that they have, with a unit and a direction; one vocabulary."""

from __future__ import annotations

from math import inf, log, nan
from typing import Any

import pandas as pd
import pytest
from tools.configuration import shipped

from project import ROOT
from replication.judging import words
from replication.judging.judge import claims_of
from replication.palette import METHODS, VERDICTS

ROW: dict[str, Any] = {
    "paper": "spread",
    "claim": "wins",
    "origin": "paper",
    "short": "moments win early",
    "verdict": "reproduced",
    "quantity": "accuracy, moments minus likelihood, after one pass",
    "unit": "points of accuracy",
    "printed": nan,
    "threshold": 0.5,
    "margin": 2.46,
    "ours": 1.23,
    "low": 0.9,
    "high": 1.56,
    "settings": 1,
    "trials": 10,
    "quantifier": "all",
    "shown": "x = 1",
    "note": "holds at x = 2",
    "grade": "full",
    "hangs_on": nan,
}


@pytest.mark.parametrize(
    ("value", "width", "expected"),
    [
        (0.0, 0.0, "0.00"),
        (1234.5, 0.0, "1,234"),
        (0.068789, 0.0, "0.0688"),
        (-0.068789, 0.0, "−0.0688"),
        (6.6e-5, 0.0, "6.60·10⁻⁵"),
        (2.5e7, 0.0, "2.50·10⁷"),
        (94.3649, 0.123, "94.36"),
        (94.3649, 12.3, "94"),
        (0.0001, 0.2, "0.00"),
        (nan, 0.0, "–"),
        (inf, 0.0, "∞"),
        (-inf, 1.0, "−∞"),
    ],
)
def test_a_number_has_the_digits_of_its_interval(value: float, width: float, expected: str) -> None:
    assert words.amount(value, width) == expected


EXACTLY = ("ours", "low", "high")
#: Every verdict, read aloud.
ALOUD = {
    "reproduced": "Moments win early.",
    "conditional": "Mixed: Moments win early.",
    "undecided": "Open: Moments win early.",
    "contradicted": "Fails: Moments win early.",
    "untestable": "Not tested: Moments win early.",
}


@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_reads_as_a_sentence(verdict: str) -> None:
    assert words.finding({**ROW, "verdict": verdict}) == ALOUD[verdict]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "Accuracy: moments came out 1.2 points (0.9 to 1.6) above likelihood, after one pass"),
        (
            {"ours": -1.23, "low": -1.56, "high": -0.9},
            "Accuracy: moments came out 1.2 points (0.9 to 1.6) below likelihood, after one pass",
        ),
        (
            {"verdict": "contradicted", "ours": 0.25, "margin": 0.5, "low": 0.2, "high": 0.3},
            "Accuracy: moments came out 0.25 points (0.20 to 0.30) above likelihood, after one pass,"
            " too small to matter",
        ),
        (
            {
                "quantity": "tr H, one over another",
                "unit": "factor (log)",
                "ours": log(3),
                "low": log(3),
                "high": log(3),
            },
            "Tr H: one came out 3.00 times another",
        ),
        (
            {"quantity": "exact level beyond the stated one", "unit": "nats", "ours": 1e-16, "low": 0.0, "high": 0.0},
            "Exact level came out equal to the stated one",
        ),
        (
            {"quantity": "share found", "unit": "share of users", "ours": 0.31, "low": 0.3, "high": 0.32},
            "Share found: 31.0 points (30.0 to 32.0)",
        ),
        (
            {"quantity": "test accuracy", "ours": 94.0, "low": 93.6, "high": 94.4, "printed": 93.0, "margin": 1.0},
            "Test accuracy: 94.0 points (93.6 to 94.4) (93 printed; 91.5 to 94.5 would agree)",
        ),
        ({"ours": nan, "note": "mmd_unbiased has no result"}, f"{METHODS['mmd_unbiased'].label} has no result"),
    ],
)
def test_what_was_found_has_a_unit_and_a_direction(changes: dict[str, Any], expected: str) -> None:
    assert words.found({**ROW, **changes}) == expected


def test_what_was_found_says_in_which_setting() -> None:
    many = {**ROW, "settings": 4, "shown": "mnist, moments_sgd_all less laplace"}
    place = f"MNIST, {METHODS['moments_sgd_all'].label} minus Laplace"
    assert words.found(many).endswith(f"; at {place}, the least favourable of 4 settings")
    assert words.found({**many, "quantifier": "some"}).endswith("the most favourable of 4 settings")
    assert words.found({**many, "quantifier": "typical"}).endswith("; mean of 4 settings")


def test_a_paper_without_data_of_its_own_has_data_of_our_choice() -> None:
    assert words.basis_of(ROW) == "the paper's data"
    assert (
        words.basis_of({**ROW, "paper": "mean_operator", "grade": "full, unverified"})
        == "data of our choice (unverified)"
    )
    assert words.basis_of({**ROW, "paper": "mean_operator", "grade": "no data"}) == "exact or simulated"


def test_how_many_hold_and_hang() -> None:
    rows = [{**ROW, "verdict": verdict} for verdict in ("reproduced", "reproduced", "contradicted", "conditional")]
    assert words.count(rows) == "2 hold, 1 is mixed, 1 fails"
    assert words.tally(rows) == "Claims: 2 of 4 hold."
    rows[-1]["hangs_on"] = "rate size-of-data"
    assert words.tally(rows) == "Claims: 2 of 4 hold, 1 hangs on choices the paper leaves open."
    assert words.hangs_on(rows[-1]) == "hangs on rate and size of data"


def test_the_page_has_a_line_a_claim() -> None:
    table = pd.DataFrame([ROW, {**ROW, "origin": "beyond", "verdict": "undecided"}])
    text = words.page(table, {"spread": "spread likelihood"}, lambda row: f"to/{row['claim']}")
    assert "| ● holds | [Moments win early](to/wins) | 1.2 points (0.9 to 1.6) above |" in text
    assert "| spread likelihood | 1 | 0 | 0 | 0 | 0 |" in text
    assert "what we ask beyond it" in text


CLAIMS = [(paper, claim) for paper in shipped(ROOT)["papers"] if paper != "crossover" for claim in claims_of(paper)]


def test_every_claim_has_a_unit_that_is_read_as_words() -> None:
    """A unit that is not among them needs a line in `words.UNITS`."""
    unknown = {claim.unit for _, claim in CLAIMS if not claim.unit.startswith(tuple(words.UNITS))}
    assert unknown == set()
