"""The copy of the project that the workflow's tests run in."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from workflow.house import House


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
