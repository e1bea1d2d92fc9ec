"""The environment of a job for `--sdm conda`, from pyproject.toml and its lock; `make lock` calls it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

#: What conda-forge calls a package otherwise than the Python index does.
CONDA_NAMES = {"matplotlib": "matplotlib-base"}
#: Snakemake starts the jobs; inside a job's own environment it is not needed.
NOT_IN_JOBS = {"snakemake", "pygments", "grimp"}


def read_pins(lock: Path) -> dict[str, str]:
    """Name and version of everything that a lock pins."""
    return dict(re.findall(r"^([a-z0-9.-]+)==([^\s;\\]+)", lock.read_text(encoding="utf-8"), re.MULTILINE))


def read_requirements(root: Path, *extras: str) -> list[str]:
    """What pyproject.toml asks for: the library's dependencies and those of its `extras`."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted: list[str] = sum((project["optional-dependencies"][extra] for extra in extras), project["dependencies"])
    return wanted


def conda_environment(root: Path) -> str:
    """A run's direct dependencies at the locked versions."""
    locked = read_pins(root / "requirements" / "run.txt")
    names = [re.split(r"[\s<>=!~;\[]", wanted)[0] for wanted in read_requirements(root, "replication")]
    head = "# Made by `make lock` from pyproject.toml and requirements/run.txt; do not edit.\n"
    packages = [f"{CONDA_NAMES.get(name, name)}={locked[name]}" for name in names if name not in NOT_IN_JOBS]
    return head + yaml.safe_dump(
        {"channels": ["conda-forge", "nodefaults"], "dependencies": ["python=3.11", *packages]}, sort_keys=False
    )


if __name__ == "__main__":
    Path("envs", "unveil.yaml").write_text(conda_environment(Path.cwd()), encoding="utf-8")
