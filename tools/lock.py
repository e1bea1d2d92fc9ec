"""One source of truth for the packages: pyproject.toml. The locks and the conda environment are made from it.

`python -m tools.lock` makes them anew with uv; `make lock` calls it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

#: What conda-forge calls a package otherwise than the Python index does.
CONDA_NAMES = {"matplotlib": "matplotlib-base"}
#: Snakemake starts the jobs; inside a job's own environment it is not needed.
NOT_IN_JOBS = {"snakemake", "pygments", "grimp"}
#: What developers have beside that.
EXTRAS = ("dev", "docs", "dask", "peers", "slurm")

_COMPILE = "--universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-header --no-annotate -q"
_PIN = re.compile(r"^([A-Za-z0-9_.-]+)==([^\s;\\]+)", re.MULTILINE)


def normal(name: str) -> str:
    """A distribution's name as the locks write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def direct(requirements: Iterable[str]) -> list[str]:
    """The names in a list of requirements."""
    return [normal(re.split(r"[\s<>=!~;\[]", requirement, maxsplit=1)[0]) for requirement in requirements]


def pins(lock: str) -> dict[str, str]:
    """Name and version of everything that a lock pins."""
    return {normal(name): version for name, version in _PIN.findall(lock)}


def run_requirements(project: Mapping[str, Any]) -> list[str]:
    """What a run needs: the library's dependencies and the replication's."""
    return [*project["dependencies"], *project["optional-dependencies"]["replication"]]


def conda_environment(project: Mapping[str, Any], locked: Mapping[str, str]) -> str:
    """The environment of a job for `--sdm conda`: our direct dependencies at the locked versions."""
    lines = [
        f"  - {CONDA_NAMES.get(name, name)}={locked[name]}"
        for name in direct(run_requirements(project))
        if name not in NOT_IN_JOBS
    ]
    head = "# Made by `make lock` from pyproject.toml and requirements.txt; do not edit.\n"
    return (
        head + "channels:\n  - conda-forge\n  - nodefaults\ndependencies:\n  - python=3.11\n" + "\n".join(lines) + "\n"
    )


def lock(root: Path) -> None:
    """Pin the newest packages that pyproject.toml admits, with hashes and without addresses."""
    compile_ = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", *_COMPILE.split()]
    compile_ += ["--upgrade", "--extra", "replication"]
    subprocess.run([*compile_, "-o", "requirements.txt"], cwd=root, check=True)  # noqa: S603
    extras = [part for name in EXTRAS for part in ("--extra", name)]
    subprocess.run([*compile_, *extras, "-c", "requirements.txt", "-o", "requirements-dev.txt"], cwd=root, check=True)  # noqa: S603
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    locked = pins((root / "requirements.txt").read_text(encoding="utf-8"))
    (root / "envs" / "unveil.yaml").write_text(conda_environment(project, locked), encoding="utf-8")


if __name__ == "__main__":
    lock(Path.cwd())
