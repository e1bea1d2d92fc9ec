"""pyproject.toml, the two locks and the conda environment agree."""

from __future__ import annotations

import re
import tomllib

import yaml
from packaging.requirements import Requirement
from tools.lock import conda_environment, direct, normal, pins, run_requirements

from project import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("requirements.txt", "requirements-dev.txt")}


def test_every_dependency_is_pinned_within_its_bounds() -> None:
    # What plants mistakes and what fuzzes is installed by their own targets.
    extras = [part for name, part in PROJECT["optional-dependencies"].items() if name not in ("mutants", "fuzz")]
    wanted = {
        "requirements.txt": run_requirements(PROJECT),
        "requirements-dev.txt": sum(extras, PROJECT["dependencies"]),
    }
    for name, requirements in wanted.items():
        locked = pins(LOCKS[name])
        assert direct(requirements) == [normal(Requirement(text).name) for text in requirements]
        for requirement in map(Requirement, requirements):
            assert locked[normal(requirement.name)] in requirement.specifier, requirement


def test_the_development_lock_holds_the_same_versions() -> None:
    assert pins(LOCKS["requirements.txt"]).items() <= pins(LOCKS["requirements-dev.txt"]).items()


def test_the_locks_have_hashes_for_all_and_no_address() -> None:
    for text in LOCKS.values():
        entries = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
        assert all("--hash=sha256:" in entry for entry in entries)
        assert not re.search(r"https?:|--(extra-)?index|--find-links", text)


def test_the_conda_environment_is_the_exported_one() -> None:
    exported = conda_environment(PROJECT, pins(LOCKS["requirements.txt"]))
    assert (ROOT / "envs/unveil.yaml").read_text(encoding="utf-8") == exported
    assert "python=3.11" in yaml.safe_load(exported)["dependencies"]
