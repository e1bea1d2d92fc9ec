"""pyproject.toml, the two locks and the conda environment agree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tools.lock import conda_environment, read_pins, read_requirements

from project import ROOT

RUN, DEV = ROOT / "requirements" / "run.txt", ROOT / "requirements" / "dev.txt"
#: What plants mistakes and what fuzzes is installed by their own targets.
EXTRAS = {RUN: ["replication"], DEV: ["replication", "plot", "dev", "docs", "dask", "peers", "slurm"]}


@pytest.mark.parametrize("lock", EXTRAS, ids=lambda lock: lock.name)
def test_every_dependency_is_pinned_within_its_bounds(lock: Path) -> None:
    locked = read_pins(lock)
    for requirement in map(Requirement, read_requirements(ROOT, *EXTRAS[lock])):
        assert locked[canonicalize_name(requirement.name)] in requirement.specifier, requirement


def test_the_development_lock_holds_the_same_versions() -> None:
    assert read_pins(RUN).items() <= read_pins(DEV).items()


@pytest.mark.parametrize("lock", EXTRAS, ids=lambda lock: lock.name)
def test_the_locks_have_hashes_for_all_and_no_address(lock: Path) -> None:
    text = lock.read_text(encoding="utf-8")
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=[A-Za-z0-9])", text.strip()))
    assert not re.search(r"https?:|--(extra-)?index|--find-links", text)


def test_the_conda_environment_is_the_exported_one() -> None:
    assert (ROOT / "envs/unveil.yaml").read_text(encoding="utf-8") == conda_environment(ROOT)
