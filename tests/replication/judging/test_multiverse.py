"""The multiverse: one choice at a time, named, and a verdict that turns where it must."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tools.configuration import shipped

from project import ROOT, sample
from replication.data.fetching.sources import load as load_sources
from replication.judging.claim import ALL, Choice, Claim, Matters, Measure, measure, vary
from replication.judging.judge import claims_of, judge_claim, judge_openly, read_runs
from replication.judging.multiverse.draw import turns
from replication.judging.multiverse.settings import BASE, FULL, lay_over, studied
from replication.judging.statistics import exactly
from replication.judging.verdicts import CannotTell, Observation, Quantifier
from unveil.errors import UnveilError

FIELDS = {name: list(entry.fields) for name, entry in load_sources(ROOT / "data/sources.yaml").items()}
CONFIG: dict[str, Any] = json.loads(json.dumps(shipped(ROOT)))
PAPERS = ("linear_moments", "mean_operator", "class_ratio", "spread")
SCORES = pd.DataFrame({"dataset": ["one", "two", "three"], "value": [1.0, 1.0, 3.0]})


@measure
def beyond(scores: pd.DataFrame, limit: float = 0.0) -> list[Observation]:
    return exactly(dict(zip(scores["dataset"], scores["value"] - limit, strict=True)))


def plainly(scores: pd.DataFrame, limit: float = 0.0) -> list[Observation]:
    return list(beyond(limit)(scores))


def claim(measure: Measure, quantifier: Quantifier = Quantifier.ALL, *choices: Choice) -> Claim:
    matters = Matters(0.6, "less is nothing")
    return Claim("id", "Words.", "here", "fig6", measure, quantifier, "margin", "points", matters, choices=choices)


def limits(*values: float) -> Choice:
    return vary("limit", "silent", "0", limit=values)


def verdicts(own: Claim) -> dict[str, str]:
    return {
        row["universe"]: row["verdict"] for row in judge_openly(own, "linear_moments", lambda _: (SCORES, {}), [])[2]
    }


def test_the_values_of_universes_do_not_depend_on_how_they_are_cut_into_files(tmp_path: Path) -> None:
    values = ["2", "20", "0.05", "1e-05", "until convergence"]
    files = [
        "value,effect\n" + "".join(f"{value},1\n" for value in cut) for cut in (values, *([one] for one in values))
    ]
    for number, content in enumerate(files):
        (tmp_path / f"{number}.csv").write_text(content, encoding="utf-8")
    whole, *parts = (str(path) for path in sorted(tmp_path.glob("*.csv")))
    assert [row["value"] for row in read_runs([whole])] == [row["value"] for row in read_runs(parts)] == values


@pytest.mark.parametrize("measure", [beyond(), beyond(0.0), beyond(limit=0.0), plainly])
def test_a_verdict_turns_at_the_choice_that_turns_it(measure: Measure) -> None:
    assert verdicts(claim(measure, Quantifier.ALL, limits(0.5, 2.0))) == {
        "judging/base": "reproduced",
        "judging/matters=half": "reproduced",
        "judging/matters=double": "contradicted",  # 1.0 is less than 1.2, though above zero
        "judging/limit=0.5": "contradicted",
        "judging/limit=2": "contradicted",
    }


def test_the_share_of_a_typical_claim_is_ours_or_a_choice() -> None:
    assert verdicts(claim(beyond(2.0), Quantifier.TYPICAL, vary("range", "line 9", "most", share=(0.3,)))) == {
        "judging/base": "contradicted",
        "judging/matters=half": "contradicted",
        "judging/matters=double": "contradicted",
        "judging/share=0.5": "contradicted",
        "judging/share=1": "conditional",
        "judging/range=0.3": "conditional",
    }


@pytest.mark.parametrize("grades", [{"one": "full"}, {"one": "full", "two": "stand-in", "three": "stand-in"}])
def test_a_measure_looks_once_at_each_table_and_all_are_judged_as_alone(grades: dict[str, str]) -> None:
    looked: list[int] = []

    def measure(scores: pd.DataFrame) -> list[Observation]:
        looked.append(len(scores))
        if len(scores) == 1:
            raise CannotTell("one data set is too few")
        return plainly(scores)

    own = claim(measure, Quantifier.TYPICAL)
    for datasets in ((), ALL):
        looked.clear()
        every = replace(own, datasets=datasets)
        rows = judge_openly(every, "linear_moments", lambda _: (SCORES, grades), [])[2]
        assert looked == ([1, 3] if datasets and len(grades) > 1 else [3])
        alone = [every, *(other for *_, other in every.judged_otherwise())]
        assert [row["verdict"] for row in rows] == [str(judge_claim(one, SCORES, grades)[0].outcome) for one in alone]
        assert len(rows) == 5


def test_a_choice_that_a_measure_does_not_have_is_refused() -> None:
    with pytest.raises(UnveilError, match="does not choose 'limits'"):
        claim(beyond(), Quantifier.ALL, vary("limit", "silent", "0", limits=(1.0,)))
    with pytest.raises(UnveilError, match="one word"):
        vary("the limit", "silent", "0", limit=(1.0,))
    with pytest.raises(UnveilError, match="what the paper says"):
        vary("limit", "", "0", limit=(1.0,))


@pytest.mark.parametrize("paper", PAPERS)
def test_alternatives_differ_from_the_base(paper: str) -> None:
    known: dict[str, tuple[str, str]] = {}
    for own in claims_of(paper):
        for choice in own.choices:
            for other in choice.otherwise.values():
                base = getattr(own.measure, "keywords", {})
                changed = other.items() if isinstance(other, Mapping) else [("measure", other)]
                assert any(base.get(name) != value for name, value in changed)
            # A choice is one, in whichever claim: what the paper says and what we took are the same.
            assert known.setdefault(choice.name, (choice.says, choice.took)) == (choice.says, choice.took)


@pytest.mark.parametrize("paper", PAPERS)
def test_what_is_run_again_at_full_size_is_a_choice_of_some_claim(paper: str) -> None:
    for (of, figure), (universes, _) in studied(CONFIG, FIELDS).items():
        if of == paper:
            named = {choice.name for own in claims_of(paper) if own.figure == figure for choice in own.choices}
            assert {one.choice for one in universes if one.scale == FULL} <= named


@pytest.mark.parametrize("config", [CONFIG, sample()], ids=["default", "sample"])
def test_what_is_shipped_is_planned_and_differs_from_the_base(config: dict[str, Any]) -> None:
    found = studied(config, FIELDS)
    assert found
    for (paper, figure), (universes, _) in found.items():
        assert len({one.name for one in universes}) == len(universes)
        for base, other in product(universes, universes):
            if base.choice != BASE or other.choice == BASE or other.scale == FULL:
                continue
            assert (base.name, base.figure.paper) == (f"{figure}/base", paper)
            assert other.figure != base.figure, other.name
            assert other.figure.release.keys() == base.figure.release.keys()
        assert {claim.figure for claim in claims_of(paper)} >= {figure}


def test_only_the_choice_differs_from_the_base() -> None:
    universes, _ = studied(CONFIG, FIELDS)["spread", "fig3"]
    base, other = (next(one for one in universes if one.name == f"fig3/{name}") for name in ("base", "rate=0.05"))
    settings = [asdict(one.figure.learn["converged"].settings) for one in (base, other)]
    assert {key for key in settings[0] if settings[0][key] != settings[1][key]} == {"rate"}


def test_layers_merge_key_by_key_and_lists_are_replaced() -> None:
    assert lay_over({"a": {"b": 1, "c": [1, 2]}, "d": 1}, {"a": {"c": [3]}}) == {"a": {"b": 1, "c": [3]}, "d": 1}


MISTAKES = {
    "paper": (("spred",), {}, "multiverse: unknown paper 'spred'; did you mean 'spread'?"),
    "figure": (("spread", "fig33"), {"choices": {}}, "multiverse.spread: unknown figure 'fig33'; did you mean 'fig3'?"),
    "key": (("spread", "fig3", "choice"), {}, "unknown key 'choice'; did you mean 'choices'?"),
    "without": (("spread", "fig3", "without"), ["privat"], "nothing in the figure's block is called 'privat'"),
    "overlay": (
        ("spread", "fig3", "choices", "rate", "0.05"),
        {"settings": {"rat": 1.0}},
        "multiverse.spread.fig3, rate=0.05: papers.spread.figures.fig3.settings: unknown key 'rat'; did you",
    ),
    "value": (("spread", "fig3", "choices", "rate", "0.05"), {"settings": {"rate": "fast"}}, "fig3, rate=0.05: "),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_that_names_the_place(mistake: str) -> None:
    place, content, wanted = MISTAKES[mistake]
    wrong = copy.deepcopy(CONFIG)
    parent = wrong["multiverse"]
    for step in place[:-1]:
        parent = parent[step]
    parent[place[-1]] = content
    with pytest.raises(UnveilError) as raised:
        studied(wrong, FIELDS)
    assert wanted in str(raised.value)
    assert "\n" not in str(raised.value)


def test_figures_that_a_run_does_not_have_are_not_studied() -> None:
    assert studied({**CONFIG, "papers": {}}, FIELDS) == {}
    assert studied({"papers": {}}, FIELDS) == {}


def test_a_choice_turns_a_verdict_to_a_decided_one() -> None:
    rows = [
        ("base", "as stated", "reproduced"),
        ("a", "1", "contradicted"),
        ("a", "2", "undecided"),
        ("a", "3", "contradicted"),
        ("b", "1", "reproduced"),
    ]
    table = pd.DataFrame(rows, columns=["choice", "value", "seen"]).assign(scale=FULL)
    assert list(turns(table)) == ["fails: a=1 or 3"]
    undecided = table.assign(seen=["undecided", *table["seen"][1:]])
    assert list(turns(undecided)) == ["holds: b=1", "fails: a=1 or 3"]
