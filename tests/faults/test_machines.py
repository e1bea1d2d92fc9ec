"""Everyone else's machine: other versions of Python, folders that cannot be written, other users, no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.faults import scene

from project import ROOT, SNAKEMAKE, Project, skip_offline

pytestmark = pytest.mark.faults

#: What a user does first with the library.
FIRST_STEPS = """
import numpy as np
from unveil import CoordinateRelease, GeometricCounts, MomentRegression, SecureGenerator
X = np.random.default_rng(0).random((50_000, 3))
release = CoordinateRelease(60.0).publish((X, X @ [0.5, 0.2, 0.1]), np.random.default_rng(1))
assert MomentRegression().fit(release).coef_.shape == (3,)
assert abs(GeometricCounts(1.0).release([40, 60], SecureGenerator()).sum() - 1) < 1e-9
"""
TARGET = "results/toy/one/scores.csv"
#: Where other versions of Python may lie.
PLACES = ("/usr/bin/python{}", "/usr/local/bin/python{}", "~/.pyenv/versions/{}.*/bin/python")
ALONE = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]


def python(version: str) -> Path:
    """An interpreter of that version, or a skipped test."""
    for place in PLACES:
        path = Path(place.format(version)).expanduser()
        for found in sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor)))):
            if os.access(found, os.X_OK):
                return found
    pytest.skip(f"there is no Python {version} here")


def call(*command: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command, without what this process inherited from a run."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "UNVEIL_RUN")}
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env={**kept, **environment}, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, as setuptools leaves its folders beside the sources."""
    copy, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    shutil.copytree(ROOT / "src", copy / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    built = call(
        sys.executable, "-m", "uv", "build", "--quiet", "--wheel", "--no-build-isolation", "--out-dir", out, copy
    )
    assert built.returncode == 0, built.stderr
    return next(out.glob("*.whl"))


@pytest.mark.parametrize(("version", "tool"), [("3.12", "pip"), ("3.13", "uv")])
def test_the_wheel_on_another_python(version: str, tool: str, wheel: Path, tmp_path: Path) -> None:
    interpreter, own = python(version), tmp_path / "bin" / "python"
    assert call(interpreter, "-m", "venv", *(["--without-pip"] if tool == "uv" else []), tmp_path).returncode == 0
    install: Sequence[object] = (own, "-m", "pip", "install", "--quiet")
    if tool == "uv":
        install = (sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", own)
    # The versions that everything else is tested with.
    skip_offline(call(*install, wheel, "--constraint", _constraints(tmp_path)))
    steps = call(own, "-W", "error", "-c", FIRST_STEPS, cwd=tmp_path)
    assert steps.returncode == 0, steps.stderr
    assert call(tmp_path / "bin" / "unveil", "--help", cwd=tmp_path).returncode == 0


def _constraints(place: Path) -> Path:
    """The lock without its hashes, which a wheel of our own has none of."""
    lines = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.rstrip(" \\") for line in lines if line and not line.startswith((" ", "#"))]
    path = place / "constraints.txt"
    path.write_text("\n".join(pins) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a run makes where nothing is in its way."""
    project = Project.build(tmp_path_factory.mktemp("usual") / "project")
    project.run("--cores", "1", TARGET)
    return project.file(TARGET).read_bytes()


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Project]:
    """A checkout that nobody can write to, root neither."""
    place = tmp_path / "checkout"
    if not scene.mount(place, "64m"):
        pytest.skip("this user may not mount a file system")
    try:
        project = Project.build(place / "project")
        scene.remount(place, "ro")
        yield project
    finally:
        scene.unmount(place)


def test_a_read_only_checkout_with_its_folders_elsewhere(read_only: Project, scores: bytes, tmp_path: Path) -> None:
    elsewhere, home = tmp_path / "elsewhere", tmp_path / "home"
    for folder in (elsewhere, home):
        folder.mkdir()
    command = [*SNAKEMAKE, "-s", read_only.file("Snakefile"), "--directory", elsewhere, "--cores", "1", TARGET]
    ended = call(*command, cwd=tmp_path, HOME=str(home))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert (elsewhere / TARGET).read_bytes() == scores


def test_wholly_without_network(scores: bytes, tmp_path: Path) -> None:
    if call(*ALONE, "true").returncode:
        pytest.skip("this user may not take the network away")
    project = Project.build(tmp_path / "project")
    ended = call(*ALONE, *SNAKEMAKE, "--cores", "1", TARGET, cwd=project.root)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert project.file(TARGET).read_bytes() == scores


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users may enter; those of pytest are closed to them."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_another_user_than_root(scores: bytes, open_folder: Path) -> None:
    if os.geteuid() or not shutil.which("setpriv"):
        pytest.skip("only root can become another user")
    other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    # Root's own Python may be closed to others; then the system's, with the same packages.
    system = "/usr/bin/python{}.{}".format(*sys.version_info)
    packages: dict[str, Any] = {
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "HOME": str(open_folder),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    probe = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import snakemake, sklearn'], check=True)"
    found = [name for name in (sys.executable, system) if call(*other, name, "-c", probe, **packages).returncode == 0]
    if not found:
        pytest.skip("another user can read no Python that has the packages")
    project = Project.build(open_folder / "project")
    for path in (open_folder, *open_folder.rglob("*")):
        os.chown(path, 65534, 65534)
    # Without the links of an editable installation.
    packages["PYTHONPATH"] += f":{project.file('src')}"
    command = [*other, found[0], "-m", "snakemake", "--cores", "1", TARGET]
    ended = call(*command, cwd=project.root, **packages)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert project.file(TARGET).read_bytes() == scores
