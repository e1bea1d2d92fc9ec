"""The tables of claims: complete, in their columns, and as good as their data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from replication.engine.task import write_csv
from replication.judging import judge
from replication.judging.claim import ALL, Choice, Claim, Matters, On, measure, vary
from replication.judging.statistics import exactly, over_trials
from replication.judging.verdicts import CannotTell, Observation, Outcome, Quantifier
from replication.papers.spread import claims as claims_of_spread

#: Not every version of pandas that may be installed reads to the last bit without being told.
pytestmark = pytest.mark.filterwarnings("ignore:The 'float_precision' argument")

KIND = ("margin", "points", Matters(0.1, "less is nothing"))


def write(folder: Path, scores: dict[str, Any], **grades: str) -> None:
    folder.mkdir(parents=True)
    pd.DataFrame(scores).to_csv(folder / "scores.csv", index=False)
    data = [{"dataset": dataset, "grade": grade} for dataset, grade in grades.items()]
    (folder / "scores.meta.json").write_text(json.dumps({"data": data}), encoding="utf-8")


def margins(scores: pd.DataFrame) -> list[Observation]:
    return exactly({f"row {i}": value for i, value in enumerate(scores["margin"])})


def claim(measure: Any = margins, quantifier: Quantifier = Quantifier.ALL, **others: Any) -> Claim:
    return Claim("id", "Words.", "here", "one", measure, quantifier, *KIND, **others)


@pytest.fixture
def three_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    found = (
        Claim("on-census", "Words.", "section 1", "one", margins, Quantifier.ALL, *KIND, ("census",)),
        Claim("on-all", "Words.", "section 2", "one", margins, Quantifier.SOME, *KIND, ALL),
        Claim("of-another-figure", "Words.", "section 3", "two", margins, Quantifier.ALL, *KIND),
    )
    monkeypatch.setattr(claims_of_spread, "CLAIMS", found)


def test_one_row_a_claim_with_the_grade_of_its_own_data(three_claims: None, tmp_path: Path) -> None:
    write(tmp_path / "spread" / "one", {"margin": [1.0, 2.0]}, census="full", higgs="stand-in")
    files = tmp_path / "claims.csv", tmp_path / "settings.csv"
    for file, made in zip(files, judge.judge(["spread"], [str(tmp_path / "spread/one/scores.csv")], []), strict=False):
        write_csv(file, made)
    table = pd.read_csv(files[0], keep_default_na=False).set_index("claim")
    header = files[0].read_text(encoding="utf-8").splitlines()[0]
    assert header.startswith(
        "paper,claim,origin,quantifier,statement,place,figure,verdict,quantity,unit,printed,ours,low,high,threshold,"
        "settings,trials,grade,note"
    )
    assert table["verdict"].tolist() == ["reproduced", "conditional", "untestable"]
    assert table["grade"].tolist() == ["full", "stand-in", "no data"]
    assert table["ours"].tolist() == ["1.0", "2.0", ""]  # the least favourable, the most favourable
    assert table["settings"].tolist() == [2, 2, 0]
    assert table.loc["on-all", "note"].startswith("holds for the stand-in of higgs only")
    assert "not in this run's configuration" in table.loc["of-another-figure", "note"]
    settings = pd.read_csv(files[1])
    assert list(settings) == ["paper", "claim", "setting", "effect", "low", "high", "trials", "outcome"]
    assert settings["claim"].tolist() == ["on-census"] * 2 + ["on-all"] * 2
    assert set(settings["outcome"]) == {"holds"}


def test_perturbed_scores_turn_the_verdict_in_the_table(three_claims: None, tmp_path: Path) -> None:
    write(tmp_path / "spread" / "one", {"margin": [-1.0]}, census="full", higgs="stand-in")
    table, _, _, universes = judge.judge(["spread"], [str(tmp_path / "spread/one/scores.csv")], [])
    assert universes["claim"].unique().tolist() == table["claim"].tolist()
    assert table["verdict"].tolist() == ["contradicted", "conditional", "untestable"]
    assert table["note"].tolist()[1] == "fails for the stand-in of higgs only"


@measure
def over(scores: pd.DataFrame, limit: float = 2.0) -> list[Observation]:
    return exactly({"here": float(scores["margin"].iloc[0]) - limit})


LIMIT = vary("limit", "line 7: “far”, no number", "2", limit=(1.5, 3.0))
RATE = Choice("rate", "silent", "0.1")


def ran(value: str, verdict: str, scale: str = "full") -> dict[str, Any]:
    """A universe in which the figure ran again under another rate."""
    row = ("spread", "id", f"one/rate={value}", "rate", value, verdict, 0.0, 0.0, 0.0, scale, verdict)
    return dict(zip(judge.UNIVERSES, row, strict=True))


@pytest.mark.parametrize(
    ("margin", "runs", "verdict", "hangs_on", "choices"),
    [
        (1.7, [], "conditional", "limit", 2),  # the base alone refutes
        (1.0, [], "contradicted", "", 2),  # all do
        (1.0, [ran("1", "contradicted")], "contradicted", "", 3),
        (1.0, [ran("1", "reproduced"), ran("2", "undecided")], "conditional", "rate", 4),
        (1.0, [ran("1", "undecided")], "conditional", "rate", 3),  # not every reading refutes
        (1.7, [ran("1", "reproduced")], "conditional", "limit rate", 3),
        (1.0, [ran("1", "reproduced", "reduced")], "contradicted", "", 2),  # a hint turns nothing
        (1.0, [ran("1", "untestable")], "contradicted", "", 2),
        (9.0, [ran("1", "reproduced")], "reproduced", "", 3),
        (9.0, [ran("1", "contradicted")], "conditional", "rate", 3),
    ],
)
def test_a_verdict_that_hangs_on_an_open_choice_says_so(
    margin: float, runs: list[dict[str, Any]], verdict: str, hangs_on: str, choices: int,
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    own = claim(over(), choices=(LIMIT, RATE), headline=True)
    monkeypatch.setattr(claims_of_spread, "CLAIMS", (own,))
    write(tmp_path / "spread" / "one", {"margin": [margin]})
    write_csv(tmp_path / "runs.csv", pd.DataFrame(runs, columns=judge.UNIVERSES))
    scores, again = [str(tmp_path / "spread/one/scores.csv")], [str(tmp_path / "runs.csv")]
    claims, _, open_, universes = judge.judge(["spread"], scores, again if runs else [])
    row = claims.iloc[0]
    assert (row["verdict"], row["hangs_on"], row["choices"], row["headline"]) == (verdict, hangs_on, choices, "true")
    assert row["note"].count(" as taken, ") == bool(hangs_on)
    assert dict(zip(open_["choice"], open_["turns"], strict=True)) == {
        name: str(name in hangs_on.split()).lower() for name in ("limit", "rate")
    }
    assert open_["judged"].sum() == choices
    assert open_["alternatives"].iloc[0] == "1.5; 3"
    # No other place says the opposite of a verdict that stands.
    full = universes[universes["scale"] == "full"]["verdict"]
    assert verdict == "conditional" or not {"reproduced", "contradicted"} - {verdict} & set(full)
    assert len(universes) == 1 + 2 + 2 + len(runs)  # the base, two thresholds of ours, two limits, and what ran


def test_what_stand_ins_leave_unsaid_of_the_whole_turns_an_accusation_all_the_same() -> None:
    """Contradicted by real data; under an alternative real data agree, and for others there is a stand-in only."""

    @measure
    def where(scores: pd.DataFrame, limit: float = 2.0) -> list[Observation]:
        return exactly({str(row["dataset"]): row["margin"] - limit for _, row in scores.iterrows()})

    scores = pd.DataFrame({"dataset": ["census", "youtube"], "margin": [1.7, 9.0]})
    own = claim(where(), datasets=("census", "youtube"), choices=(LIMIT,))
    verdict, grade, _ = judge.judge_openly(
        own, "spread", lambda _: (scores, {"census": "full", "youtube": "stand-in"}), []
    )
    assert (verdict.outcome, verdict.hangs_on, grade) == (Outcome.CONDITIONAL, ("limit",), "full")


def test_an_alternative_may_be_read_otherwise_or_measured_otherwise() -> None:
    scores = pd.DataFrame({"margin": [1.0, -1.0]})
    some = Choice("scope", "line 8: “cases”", "all", {"some": {"quantifier": Quantifier.SOME}, "one": over(0.5)})
    verdict, _, rows = judge.judge_openly(claim(choices=(some,)), "spread", lambda _: (scores, {}), [])
    assert (verdict.outcome, verdict.hangs_on) == (Outcome.CONDITIONAL, ("scope",))
    assert [row["verdict"] for row in rows if row["choice"] == "scope"] == ["reproduced", "reproduced"]


def test_an_alternative_may_rest_on_another_figure() -> None:
    figures: dict[str, judge.Table] = {
        "one": (pd.DataFrame({"margin": [-1.0]}), {}),
        "two": (pd.DataFrame({"margin": [5.0]}), {}),
    }
    other = Choice("rate", "silent", "0.1", {"every rate": On("two", over()), "no rate": On("three", over())})
    verdict, _, rows = judge.judge_openly(claim(choices=(other,)), "spread", figures.get, [])
    assert (verdict.outcome, verdict.hangs_on) == (Outcome.CONDITIONAL, ("rate",))
    assert [row["verdict"] for row in rows if row["choice"] == "rate"] == ["reproduced", "untestable"]


def by_dataset(scores: pd.DataFrame) -> list[Observation]:
    return exactly({str(row["dataset"]): row["margin"] for _, row in scores.iterrows()})


PARTLY = {"census": "full", "youtube": "stand-in"}


@pytest.mark.parametrize(
    ("margins", "quantifier", "grades", "verdict"),
    [
        # Of all data sets it is a claim, and one of them nobody has seen.
        ((1.0, -1.0), Quantifier.ALL, PARTLY, Outcome.CONDITIONAL),
        ((1.0, -1.0), Quantifier.TYPICAL, PARTLY, Outcome.REPRODUCED),
        ((-1.0, 1.0), Quantifier.ALL, PARTLY, Outcome.CONTRADICTED),
        ((1.0, -1.0), Quantifier.ALL, dict.fromkeys(PARTLY, "full"), Outcome.CONTRADICTED),
    ],
)
def test_a_stand_in_does_not_turn_what_real_data_settles(
    margins: tuple[float, float], quantifier: Quantifier, grades: dict[str, str], verdict: Outcome
) -> None:
    """Its rows are left out where the claim rests on better data, too, and on nothing else."""
    scores = pd.DataFrame({"dataset": [*PARTLY], "margin": margins})
    found, grade = judge.judge_claim(claim(by_dataset, quantifier, datasets=(*PARTLY,)), scores, grades)
    assert (found.outcome, grade) == (verdict, "full")
    if grades is PARTLY:
        assert found.note == "without the stand-in of youtube"
    alone = judge.judge_claim(claim(by_dataset, datasets=("youtube",)), scores[1:], {"youtube": "stand-in"})
    assert (alone[0].outcome, alone[1]) == (Outcome.CONDITIONAL, "stand-in")


def test_data_that_is_not_there_has_no_grade() -> None:
    verdict, grade = judge.judge_claim(
        claim(datasets=("youtube",)), pd.DataFrame({"margin": [1.0]}), {"census": "full"}
    )
    assert (verdict.outcome, grade) == (Outcome.REPRODUCED, "")
    assert judge.judge_claim(claim(), pd.DataFrame({"margin": [1.0]}), {"census": "full"})[1] == "no data"


def test_where_real_data_says_nothing_the_stand_in_does_as_a_stand_in() -> None:
    def measure(scores: pd.DataFrame) -> list[Observation]:
        if "youtube" not in set(scores["dataset"]):
            raise CannotTell("it needs YouTube")
        return by_dataset(scores)

    scores = pd.DataFrame({"dataset": ["census", "youtube"], "margin": [1.0, 1.0]})
    both = claim(measure, datasets=("census", "youtube"))
    verdict, grade = judge.judge_claim(both, scores, {"census": "full", "youtube": "stand-in"})
    assert (verdict.outcome, grade) == (Outcome.CONDITIONAL, "stand-in")


def trials(*means: float, n: int = 8) -> Any:
    """A measure of one setting a mean, with the same small noise in all of them."""
    noise = np.random.default_rng(4).standard_normal(n) * 0.01
    return lambda _: over_trials({f"setting {i}": noise + mean for i, mean in enumerate(means)})


def test_each_quantifier_shows_what_it_speaks_of() -> None:
    empty = pd.DataFrame()
    every = judge.decide(claim(trials(1.0, 2.0, 3.0)), empty)
    some = judge.decide(claim(trials(1.0, 2.0, 3.0), Quantifier.SOME), empty)
    typical = judge.decide(claim(trials(1.0, 2.0, 3.0), Quantifier.TYPICAL), empty)
    assert every.ours == pytest.approx(1.0, abs=0.02)
    assert some.ours == pytest.approx(3.0, abs=0.02)
    assert typical.ours == pytest.approx(2.0, abs=0.02)
    assert {verdict.outcome for verdict in (every, some, typical)} == {Outcome.REPRODUCED}
    assert every.trials == 8
    # The noise is common to the settings, so pooling them gains no more than the other intervals' simultaneity.
    assert typical.high - typical.low == pytest.approx((every.high - every.low) * 2.365 / 3.128, rel=1e-3)


def test_the_setting_that_decides_is_shown() -> None:
    verdict = judge.decide(claim(trials(3.0, 0.05, 2.0)), pd.DataFrame())
    assert verdict.outcome is Outcome.CONTRADICTED
    assert verdict.note == "holds at setting 0 and setting 2; fails at setting 1"
    assert verdict.shown == "setting 1"
    assert verdict.ours == pytest.approx(0.05, abs=0.02)


def test_a_claim_that_cannot_be_decided_says_why() -> None:
    def measure(scores: pd.DataFrame) -> list[Observation]:
        raise CannotTell("nothing to see")

    verdict = judge.decide(claim(measure), pd.DataFrame())
    assert (verdict.outcome, verdict.note) == (Outcome.UNTESTABLE, "nothing to see")
    nothing = judge.decide(claim(lambda _: exactly({"here": np.nan})), pd.DataFrame())
    assert nothing.outcome is Outcome.UNTESTABLE
