"""What a confined process may write: a place for compiled kernels is among it, whatever the machine looks like."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import unveil
from unveil import confinement, kernels
from unveil.command import main

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


def test_the_folder_that_a_command_is_started_in_is_not_granted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`python -m unveil` has it among the places of its modules; the installed command has not."""
    monkeypatch.chdir(tmp_path)
    for started in ([str(tmp_path), *sys.path], ["", *sys.path]):
        monkeypatch.setattr(sys, "path", started)
        granted = confinement.system_folders()
        assert not any(tmp_path.is_relative_to(folder) for folder in granted)
        assert Path(unveil.__file__).parent in granted


_READ = "import sys; sys.modules['unveil.command.owner'] = sys; sys.release = lambda *_: print(open('secret').read())"


@pytest.mark.parametrize("start", [["-m", "unveil"], ["-c", "from unveil.command.main import program; program()"]])
def test_a_release_opens_nothing_else_however_it_is_started(start: list[str], tmp_path: Path) -> None:
    if not confinement.landlock_version():
        pytest.skip("this kernel has no Landlock")
    (tmp_path / "t.csv").write_text("x,kind,set\n0.1,a,1\n0.2,b,1\n0.4,a,2\n")
    (tmp_path / "secret").write_text("the-label-is-one")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/sitecustomize.py").write_text(_READ)
    line = LINE.replace("t.csv", str(tmp_path / "t.csv")).replace("../out/r", str(tmp_path / "other/r"))
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path / 'other'}:{Path(unveil.__file__).parents[1]}"}
    done = subprocess.run(
        [sys.executable, *start, *line.split()],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "the-label-is-one" not in done.stdout
    assert "secret" in done.stderr


def test_a_release_says_that_nothing_confines_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(confinement, "confine", lambda *_: False)
    main._confine([], [])
    assert "this kernel has no Landlock" in capsys.readouterr().err


def test_confined_kernels_are_copies_that_no_other_process_reads(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kernels, "_bind_again", lambda _: None)
    (tmp_path / "rows_0").mkdir()
    for name in ("rows.one-1.nbi", "rows.one-1.1.nbc", "rows.two-9.nbi"):
        (tmp_path / "rows_0" / name).write_text(name)
    copies = kernels.use_copies()
    (copies / "rows_0/rows.one-1.nbi").write_text("a confined process's own")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert kernels.use_copies() == copies
    assert (copies / "rows_0/rows.one-1.nbi").read_text() == "a confined process's own"
    assert (tmp_path / "rows_0/rows.one-1.nbi").read_text() == "rows.one-1.nbi"
    assert sorted(os.listdir(copies / "rows_0")) == sorted(os.listdir(tmp_path / "rows_0"))  # noqa: PTH208


_COMPILE = """
import numpy as np
from unveil.numerics.alias import alias_table
from unveil.kernels import use_copies
use_copies()
alias_table(np.array([0.5, 0.5]))
"""


def test_a_kernel_that_is_known_by_then_goes_to_the_copies(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", _COMPILE], env=environment, check=True)
    written = [path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*.nb[ic]")]
    assert set(written) == {"confined"}
