"""A learner is never given private data, whether it is a job of its own or a process of its figure's job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tools.configuration import shipped

from project import ROOT, TOY, Project, toy
from replication.engine.plan import Arm
from stages import planned

pytestmark = pytest.mark.pipeline

#: The arms that cheat on purpose, and at what they peek: `<paper>/<figure>/<arm>`.
CHEATING_ARMS: Mapping[str, Mapping[str, Sequence[str]]] = {
    # Least squares on the data themselves: what no veil at all would give.
    "linear_moments/fig6/clear": {
        "housing": ["scaled_features", "scaled_target"],
        "california": ["scaled_features", "scaled_target"],
        "songs": ["scaled_features", "scaled_target", "split"],
        "songs_subset": ["scaled_features", "scaled_target", "split"],
    },
    "linear_moments/fig7/treebank_supervised": {"treebank": ["tags"]},
    "linear_moments/fig7/ewt_supervised": {"ewt": ["tags"]},
    "linear_moments/today/clear": {
        "housing": ["scaled_features", "scaled_target"],
        "california": ["scaled_features", "scaled_target"],
        "songs_subset": ["scaled_features", "scaled_target", "split"],
    },
    # Supervised training on tags, to say what counts are worth.
    "linear_moments/today_tags/treebank_tagged": {"treebank": ["tags"]},
    "linear_moments/today_tags/ewt_tagged": {"ewt": ["tags"]},
    # Quantifiers that learn from labelled instances.
    "class_ratio/fig2/labelled": {"census": ["labels"], "youtube": ["labels"], "higgs": ["labels"]},
    # The true prior, and training on clean digits.
    "spread/fig3/peeking": {"mnist": ["images", "labels", "split"]},
    "spread/fig3/converged_peeking": {"mnist": ["images", "labels", "split"]},
    "spread/gaussian/peeking": {"mnist": ["images", "labels", "split"]},
    # An attacker has digits of other people, and knows the candidates.
    "spread/attack/attacker": {"mnist": ["images", "labels", "split"]},
    # Training on labels without flips.
    "crossover/epsilon/clean": {"census": ["labels"], "mnist": ["sevens_nines_labels"], "breast_cancer": ["labels"]},
    "crossover/size/clean": {"census": ["labels"], "mnist": ["sevens_nines_labels"], "breast_cancer": ["labels"]},
}


def name_of(output: str) -> str:
    """`<paper>/<figure>/<arm>/<chunk>` of a learned file, whatever folder the results are in."""
    *_, paper, figure, _, arm, chunk = Path(output).with_suffix("").parts
    return f"{paper}/{figure}/{arm}/{chunk}"


def violations(given: Mapping[str, Iterable[str]], public: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    """What learners are given that was neither released for the same figure nor declared public by its paper."""
    found = []
    for name, paths in ((name_of(output), paths) for output, paths in given.items()):
        paper, figure, *_ = name.split("/")
        fields = {(dataset, field) for dataset, names in public[paper].items() for field in names}
        allowed = {f"data/prepared/{dataset}/{field}.npy" for dataset, field in fields} | {"results/kernels.txt"}
        released = f"results/{paper}/{figure}/released/"
        found += [f"{name} <- {path}" for path in paths if path not in allowed and not path.startswith(released)]
    return found


def public_fields(config: Mapping[str, Any]) -> dict[str, Any]:
    return {paper: block["public"] for paper, block in config["papers"].items()}


#: The learning arms of all figures, those that extend another among them, by `<paper>/<figure>/<arm>`.
LEARNERS: dict[str, Arm] = {
    f"{paper}/{name}/{arm.name}": arm for (paper, name), figure in planned().items() for arm in figure.learn.values()
}


def test_no_learner_of_the_project_reads_private_data(tmp_path: Path) -> None:
    config = shipped(ROOT)
    project = Project.build(tmp_path / "project")
    project.configure(config)
    given = project.learners("--forceall", "all")
    assert {name_of(output).rpartition("/")[0] for output in given} == LEARNERS.keys()
    leaks = violations(given, public_fields(config))
    assert [leak for leak in leaks if "/".join(leak.split("/")[:3]) not in CHEATING_ARMS] == []


def test_the_arms_that_cheat_are_known_by_name() -> None:
    peeks = {name: {dataset: list(names) for dataset, names in arm.peeks.items()} for name, arm in LEARNERS.items()}
    assert {name: peeked for name, peeked in peeks.items() if peeked} == CHEATING_ARMS


@pytest.mark.parametrize(
    ("file", "honest", "leaky", "caught"),
    [
        ("rules/spine.smk", 'public=layout.reads("learn"),', 'public=layout.reads("score"),', 3),
        ("scripts/figure.py", "files.granted(arm, trials), fields", "fields, prepared(figure.score.fields)", 1),
    ],
)
def test_a_leak_planted_in_the_workflow_is_caught(
    project: Project, file: str, honest: str, leaky: str, caught: int
) -> None:
    sound = project.learners("--forceall", "all")
    assert sorted(map(name_of, sound)) == [
        *(f"toy/one/shares/{chunk}" for chunk in ("0000-0001", "0002-0003", "0004-0005")),
        "toy/two/shares/0000-0005",
    ]
    assert violations(sound, public_fields(TOY)) == []
    project.edit(f"workflow/{file}", honest, leaky)
    leaks = violations(project.learners("--forceall", "all"), public_fields(TOY))
    assert len(leaks) == caught
    assert all(leak.endswith(" <- data/prepared/breast_cancer/labels.npy") for leak in leaks)


def test_a_leak_planted_in_the_configuration_is_refused(project: Project) -> None:
    project.configure(toy({"learn": {"shares": {"reads": {"breast_cancer": ["features", "labels"]}}}}))
    said = project.run("-n", "all", expect=1)
    assert "shares reads breast_cancer/labels" in said


def test_an_arm_may_cheat_only_by_name(project: Project) -> None:
    project.configure(toy({"learn": {"shares": {"peeks": {"breast_cancer": ["labels"]}}}}))
    assert violations(project.learners("--forceall", "all"), public_fields(TOY))


@pytest.mark.parametrize(
    ("figure", "other"), [("one", "two/released/flips/0000-0005"), ("two", "one/released/flips/0000-0001")]
)
@pytest.mark.parametrize("kind", ["data", "release"])
def test_a_learner_that_goes_around_the_rules_is_stopped(project: Project, figure: str, other: str, kind: str) -> None:
    private = "data/prepared/breast_cancer/labels.npy" if kind == "data" else f"results/toy/{other}.npz"
    learner = f"src/replication/papers/toy/{figure}/learn.py"
    project.edit(learner, "    for _ in", f'    np.load("{private}")\n    for _ in')
    said = project.run("--cores", "1", f"figures/toy/{figure}.png", expect=1)
    assert "a learner may not read" in said
    assert private in said
