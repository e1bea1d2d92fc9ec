"""The copy of the project that the workflow's tests run in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tools.configuration import shipped

from project import ROOT, TOY, Project

#: Figures of the papers that need no data and take seconds, with claims about them.
JUDGED = {"linear_moments": ["fig5"], "spread": ["fig1", "privacy"]}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A toy project in which everything was made once; not to be changed."""
    project = Project.build(tmp_path_factory.mktemp("project") / "built")
    project.run("--cores", "2", "all")
    return project


@pytest.fixture
def project(built: Project, tmp_path: Path) -> Project:
    """A finished toy project of a test's own, to edit and break."""
    shutil.copytree(built.root, tmp_path / "project", symlinks=True)
    return Project(tmp_path / "project")


@pytest.fixture
def empty_project(built: Project, tmp_path: Path) -> Project:
    """A toy project whose data is prepared but whose figures are not made."""
    keep = shutil.ignore_patterns("results", "figures", "logs", ".snakemake")
    shutil.copytree(built.root, tmp_path / "project", symlinks=True, ignore=keep)
    return Project(tmp_path / "project")


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with a few real figures and the verdicts on their papers' claims; not to be changed."""
    config = shipped(ROOT)
    papers = {
        paper: {"public": {}, "figures": {name: config["papers"][paper]["figures"][name] for name in names}}
        for paper, names in JUDGED.items()
    }
    project = Project.build(tmp_path_factory.mktemp("judged") / "project")
    project.configure({**TOY, "papers": papers})
    project.run("--cores", "2", "all")
    return project
