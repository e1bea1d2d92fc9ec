"""A learner's job never has private data among its inputs."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tools.configuration import shipped

from project import ROOT, TOY, Project

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

Job = Mapping[str, Any]


def learn_jobs(jobs: Iterable[Job]) -> dict[str, list[str]]:
    """The inputs of every learn job, keyed by `<paper>/<figure>/<arm>/<chunk>`."""
    learners = [job for job in jobs if job["rule"] == "learn"]
    return {name_of(Path(job["output"][0])): job["input"] for job in learners}


def name_of(output: Path) -> str:
    """`<paper>/<figure>/<arm>/<chunk>` of a learned file, whatever folder the results are in."""
    *_, paper, figure, _, arm, chunk = output.with_suffix("").parts
    return f"{paper}/{figure}/{arm}/{chunk}"


def violations(jobs: Iterable[Job], public: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    """Inputs of learn jobs that were neither released for the same figure nor declared public by its paper."""
    found = []
    for name, inputs in learn_jobs(jobs).items():
        paper, figure, *_ = name.split("/")
        fields = {(dataset, field) for dataset, names in public[paper].items() for field in names}
        allowed = {f"data/prepared/{dataset}/{field}.npy" for dataset, field in fields}
        released = f"results/{paper}/{figure}/released/"
        found += [f"{name} <- {path}" for path in inputs if path not in allowed and not path.startswith(released)]
    return found


def public_fields(config: Mapping[str, Any]) -> dict[str, Any]:
    return {paper: block["public"] for paper, block in config["papers"].items()}


def learners(config: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The configuration's learning arms by `<paper>/<figure>/<arm>`."""
    return {
        f"{paper}/{figure}/{arm}": settings
        for paper, block in config["papers"].items()
        for figure, figure_block in block["figures"].items()
        for arm, settings in figure_block.get("learn", {}).items()
    }


def test_no_learner_of_the_project_reads_private_data(tmp_path: Path) -> None:
    config = shipped(ROOT)
    project = Project.build(tmp_path / "project")
    project.configure(config)
    jobs = project.jobs("--forceall", "all")
    assert {name.rpartition("/")[0] for name in learn_jobs(jobs)} == learners(config).keys()
    leaks = violations(jobs, public_fields(config))
    assert [leak for leak in leaks if "/".join(leak.split("/")[:3]) not in CHEATING_ARMS] == []


def test_the_arms_that_cheat_are_known_by_name() -> None:
    config = shipped(ROOT)
    peeking = {name: arm["peeks"] for name, arm in learners(config).items() if arm.get("peeks")}
    assert peeking == CHEATING_ARMS


def test_a_leak_planted_in_the_rules_is_caught(project: Project) -> None:
    private = "data/prepared/breast_cancer/labels.npy"
    sound = project.jobs("--forceall", "all")
    assert len(learn_jobs(sound)) == 6
    assert violations(sound, public_fields(TOY)) == []
    honest = 'public=layout.reads("learn"),'
    project.edit("workflow/rules/spine.smk", honest, f'{honest}\n        truth="{private}",')
    leaky = project.jobs("--forceall", "all")
    assert violations(leaky, public_fields(TOY)) == [f"{name} <- {private}" for name in learn_jobs(leaky)]
    assert len(learn_jobs(leaky)) == 6


def test_a_leak_planted_in_the_configuration_is_refused(project: Project) -> None:
    config = copy.deepcopy(dict(TOY))
    config["papers"]["toy"]["figures"]["one"]["learn"]["shares"]["reads"]["breast_cancer"] = ["features", "labels"]
    project.configure(config)
    said = project.run("-n", "all", expect=1)
    assert "shares reads breast_cancer/labels" in said


def test_an_arm_may_cheat_only_by_name(project: Project) -> None:
    config = copy.deepcopy(dict(TOY))
    config["papers"]["toy"]["figures"]["one"]["learn"]["shares"]["peeks"] = {"breast_cancer": ["labels"]}
    project.configure(config)
    assert violations(project.jobs("--forceall", "all"), public_fields(TOY))


@pytest.mark.parametrize(
    "private", ["data/prepared/breast_cancer/labels.npy", "results/toy/two/released/flips/0000-0001.npz"]
)
def test_a_learner_that_goes_around_the_rules_is_stopped(project: Project, private: str) -> None:
    project.edit("src/replication/papers/toy/one/learn.py", "    for _ in", f'    np.load("{private}")\n    for _ in')
    said = project.run("--cores", "1", "figures/toy/one.png", expect=1)
    assert "a learner may not read" in said
    assert private in said
