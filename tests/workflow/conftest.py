"""The copy of the project that the workflow's tests run in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from house import ROOT, TOY, House
from replication.engine.configuration import shipped

#: Figures of the papers that need no data and take seconds, with claims about them.
JUDGED = {"linear_moments": ["fig5"], "spread": ["fig1", "privacy"]}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A toy house in which everything was made once; not to be changed."""
    house = House.build(tmp_path_factory.mktemp("house") / "built")
    house.run("--cores", "2", "all")
    return house


@pytest.fixture
def house(built: House, tmp_path: Path) -> House:
    """A finished toy house of a test's own, to edit and break."""
    shutil.copytree(built.root, tmp_path / "house", symlinks=True)
    return House(tmp_path / "house")


@pytest.fixture
def empty_house(built: House, tmp_path: Path) -> House:
    """A toy house whose data is prepared but whose figures are not made."""
    keep = shutil.ignore_patterns("results", "figures", "logs", ".snakemake")
    shutil.copytree(built.root, tmp_path / "house", symlinks=True, ignore=keep)
    return House(tmp_path / "house")


@pytest.fixture(scope="session")
def judged(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A house with a few real figures and the verdicts on their papers' claims; not to be changed."""
    config = shipped(ROOT)
    papers = {
        paper: {"public": {}, "figures": {name: config["papers"][paper]["figures"][name] for name in names}}
        for paper, names in JUDGED.items()
    }
    house = House.build(tmp_path_factory.mktemp("judged") / "house")
    house.configure({**TOY, "papers": papers})
    house.run("--cores", "2", "all")
    return house
