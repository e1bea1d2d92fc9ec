"""What a confined process may write: a place for compiled kernels is among it, whatever the machine looks like."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import unveil
from unveil import kernels

LINE = "release ratios t.csv --epsilon 2 --label kind --sets set --features x --out ../out/r"


def test_it_writes_beside_the_modules_or_for_this_user_or_for_this_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(kernels, "__file__", str(tmp_path / "package/confinement.py"))
    (tmp_path / "package/inner").mkdir(parents=True)
    for name in ("confinement.py", "inner/kernels.py"):
        (tmp_path / "package" / name).touch()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "elsewhere/deep"))
    assert kernels.kernel_folders() == [tmp_path / "elsewhere/deep"]
    assert (tmp_path / "elsewhere/deep").is_dir()
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    beside = [tmp_path / "package/__pycache__", tmp_path / "package/inner/__pycache__"]
    assert kernels.kernel_folders() == beside
    assert all(folder.is_dir() for folder in beside)
    own = tmp_path / "home/.cache/numba"
    for folder in beside:
        folder.rmdir()
        folder.touch()  # a file in its place: nobody can make a folder of it, not even root
    assert kernels.kernel_folders() == [*beside, own]
    own.rmdir()
    own.touch()
    (passing,) = kernels.kernel_folders()
    assert os.environ["NUMBA_CACHE_DIR"] == str(passing)
    assert passing.is_dir()
    passing.rmdir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(own))  # a file
    (passing,) = kernels.kernel_folders()
    passing.rmdir()
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    monkeypatch.setattr(os.path, "expanduser", str)  # as for a user without a name
    (passing,) = kernels.kernel_folders()  # in no folder that is called ~
    passing.rmdir()


@pytest.mark.slow
def test_a_release_works_where_nothing_was_ever_compiled(tmp_path: Path) -> None:
    """As installers leave a package that do not compile: no __pycache__, and no cache of this user."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(unveil.__file__).parent, tmp_path / "library/unveil", ignore=ignored)
    for name in ("home", "data", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "data/t.csv").write_text("x,kind,set\n0.1,a,1\n0.2,b,1\n0.4,a,2\n")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home"), "PYTHONPATH": str(tmp_path / "library")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [sys.executable, "-m", "unveil", *LINE.split()]
    done = subprocess.run(
        command, cwd=tmp_path / "data", env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out/r").is_file()
