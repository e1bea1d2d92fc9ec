"""The table of claims: complete, in its columns, and as good as its data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from replication.judging import judge
from replication.judging.statistics import exactly
from replication.judging.verdicts import ALL, Claim, Verdict, everywhere
from replication.papers.spread import claims as claims_of_spread

#: Not every version of pandas that may be installed reads to the last bit without being told.
pytestmark = pytest.mark.filterwarnings("ignore:The 'float_precision' argument")


def write(folder: Path, scores: dict[str, Any], **grades: str) -> None:
    folder.mkdir(parents=True)
    pd.DataFrame(scores).to_csv(folder / "scores.csv", index=False)
    data = [{"dataset": dataset, "grade": grade} for dataset, grade in grades.items()]
    (folder / "scores.meta.json").write_text(json.dumps({"data": data}), encoding="utf-8")


def positive(scores: pd.DataFrame) -> Verdict:
    return everywhere(exactly({"all": scores["margin"].min()}))


@pytest.fixture
def two_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    found = (
        Claim("on-census", "Words.", "section 1", "one", positive, ("census",)),
        Claim("on-all", "Words.", "section 2", "one", positive, ALL),
        Claim("of-another-figure", "Words.", "section 3", "two", positive),
    )
    monkeypatch.setattr(claims_of_spread, "CLAIMS", found)


def test_one_row_a_claim_with_the_grade_of_its_own_data(two_claims: None, tmp_path: Path) -> None:
    write(tmp_path / "spread" / "one", {"margin": [1.0, 2.0]}, census="full", higgs="stand-in")
    judge.judge(["spread"], [tmp_path / "spread/one/scores.csv"], tmp_path / "claims.csv")
    table = pd.read_csv(tmp_path / "claims.csv", keep_default_na=False).set_index("claim")
    header = (tmp_path / "claims.csv").read_text(encoding="utf-8").splitlines()[0]
    assert header == "paper,figure,claim,statement,place,verdict,effect,low,high,n,grade,note"
    assert table["verdict"].tolist() == ["reproduced", "conditional", "untestable"]
    assert table["grade"].tolist() == ["full", "stand-in", "no data"]
    assert table.loc["on-all", "note"] == "holds for the stand-in of higgs only"
    assert "not in this run's configuration" in table.loc["of-another-figure", "note"]


def test_perturbed_scores_turn_the_verdict_in_the_table(two_claims: None, tmp_path: Path) -> None:
    write(tmp_path / "spread" / "one", {"margin": [-1.0]}, census="full")
    table = judge.verdicts(["spread"], {("spread", "one"): tmp_path / "spread/one"})
    assert table["verdict"].tolist()[:2] == ["not reproduced"] * 2
