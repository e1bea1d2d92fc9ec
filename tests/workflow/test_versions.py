"""The oldest Snakemake that the Snakefile admits and the one of the lock, which is the newest: each runs twice."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from tools.lock import read_pins, read_requirements

from project import ROOT, Project, sample, skip_offline

pytestmark = [pytest.mark.pipeline, pytest.mark.slow]

TARGETS = ("--cores", "2", "figures/sample/linear_moments/fig3.pdf", "figures/sample/linear_moments/fig5.pdf")
OLDEST = re.findall(r'^min_version\("(.+)"\)$', (ROOT / "Snakefile").read_text(encoding="utf-8"), re.MULTILINE)[0]


def wanted() -> list[str]:
    """The packages that the project asks for itself, as they are locked."""
    names = {re.split(r"[^\w-]", line)[0] for line in read_requirements(ROOT, "replication")}
    pins = read_pins(ROOT / "requirements" / "run.txt")
    return [f"{name}=={pins[name]}" for name in sorted(names - {"snakemake"})]


@pytest.fixture(scope="module")
def oldest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter with the oldest Snakemake."""
    own = tmp_path_factory.mktemp("oldest") / "env"
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(own)], check=True)
    install = [*uv, "pip", "install", "--quiet", "--python", str(own), f"snakemake=={OLDEST}.0", *wanted()]
    skip_offline(subprocess.run(install, capture_output=True, text=True))
    # The logger is found where it is installed.
    subprocess.run([*uv, "pip", "install", "--quiet", "--python", str(own), "--no-deps", "-e", str(ROOT)], check=True)
    return own / "bin" / "python"


def build(root: Path) -> Project:
    """The sample, in which every script says at its end that it has ended well."""
    project = Project.build(root)
    project.configure(sample())
    for path in project.root.glob("workflow/scripts/*.py"):
        with path.open("a", encoding="utf-8") as file:
            file.write('\nif "snakemake" in globals():\n    import sys\n\n    sys.exit(0)\n')
    return project


def test_the_newest(tmp_path: Path) -> None:
    project = build(tmp_path / "project")
    project.run(*TARGETS)
    assert "Nothing to be done" in project.run(*TARGETS)


def test_the_oldest(oldest: Path, tmp_path: Path) -> None:
    project = build(tmp_path / "project")
    said = project.run(*TARGETS, python=str(oldest))
    assert "render" in said
    assert "Nothing to be done" in project.run(*TARGETS, python=str(oldest))
