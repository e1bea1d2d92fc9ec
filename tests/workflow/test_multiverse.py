"""The rules of the multiverse: a toy figure runs otherwise, and its claim turns with a wrong belief of the learner."""

from __future__ import annotations

import textwrap

import pytest

from project import Project, toy

pytestmark = pytest.mark.pipeline

CLAIMS = '''
    """Claims of the toy."""

    from __future__ import annotations

    import pandas as pd

    from replication.judging.statistics import alike
    from replication.judging.claim import Choice, Claim, Matters, measure, vary
    from replication.judging.verdicts import Observation, Quantifier


    @measure
    def unbiased(scores: pd.DataFrame, column: str = "error") -> list[Observation]:
        return alike({"overall": scores.set_index("trial")[column]})


    CLAIMS = (
        Claim("unbiased", "The share is right.", "here", "one", unbiased(), Quantifier.ALL, "error", "share",
              Matters(0.1, "a tenth"), choices=(vary("column", "silent", "the error", column=("jitter",)),
                                                Choice("flip", "silent", "as it is"))),
    )
    '''
STUDY = {
    "chunk": 2,
    "reduced": {"trials": 4, "settings": {"rounds": 2}},
    "choices": {
        "believed flip": {"0.45": {"learn": {"shares": {"flip": 0.45}}}, "0.2": {"learn": {"shares": {"flip": 0.2}}}},
        "rounds": {"broken": {"settings": {"rounds": 7}}},
    },
    "full": {"flip": {"0.4": {"learn": {"shares": {"flip": 0.4}}}}},
}
TABLE, PICTURE = "results/multiverse.csv", "figures/multiverse.png"


def test_all_runs_the_universes_and_one_that_breaks_settles_nothing(project: Project) -> None:
    claims = project.file("src/replication/papers/toy/claims.py")
    claims.write_text(textwrap.dedent(CLAIMS).lstrip(), encoding="utf-8")
    project.edit(
        "src/replication/papers/toy/one/learn.py", "    for _ in", "    assert settings.rounds < 7\n    for _ in"
    )
    assert not {rule for rule, _ in project.planned("all")} & {"universe", "draw_multiverse"}

    project.configure(toy(multiverse={"toy": {"one": STUDY}}))
    project.run("--cores", "1", "all")
    rows = project.rows(TABLE)
    assert ",".join(rows[0]) == "paper,claim,universe,choice,value,verdict,effect,low,high,scale,seen"
    assert {row["universe"]: row["verdict"] for row in rows} == {
        "judging/base": "reproduced",
        "judging/matters=half": "reproduced",
        "judging/matters=double": "reproduced",
        "judging/column=jitter": "contradicted",
        "one/base": "reproduced",
        "one/believed flip=0.45": "contradicted",
        "one/believed flip=0.2": "reproduced",
        "one/rounds=broken": "untestable",
        "one/flip=0.4": "contradicted",
    }
    assert {row["universe"] for row in rows if row["scale"] == "reduced"} == {
        "one/base",
        "one/believed flip=0.45",
        "one/believed flip=0.2",
        "one/rounds=broken",
    }
    (claim,) = project.rows("results/claims.csv")
    assert (claim["verdict"], claim["hangs_on"], claim["choices"]) == ("conditional", "column flip", "2")
    assert [row["turns"] for row in project.rows("results/claims_choices.csv")] == ["true", "true"]
    by_name = {row["universe"]: [row[name] for name in ("effect", "low", "high")] for row in rows}
    assert by_name["one/base"] == by_name["one/believed flip=0.2"]
    assert project.file(PICTURE).read_bytes().startswith(b"\x89PNG")

    # However the universes are cut into jobs, the bytes are the same.
    table = project.bytes_of(TABLE)
    project.configure(toy(multiverse={"toy": {"one": {**STUDY, "chunk": 4}}}))
    assert {rule for rule, _ in project.planned("all")} == {
        "universe",
        "table_claims",
        "draw_multiverse",
        "draw_scorecard",
    }
    project.run("--cores", "2", "all")
    assert project.bytes_of(TABLE) == table

    project.edit("src/replication/judging/multiverse/draw.py", "markersize=7", "markersize=8")
    assert {rule for rule, _ in project.planned("all")} == {"draw_multiverse"}
