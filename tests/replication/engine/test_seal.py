"""Seals are what `b2sum` writes, and no change gets past them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replication.engine.seal import check_changes, digest, main, seal, seal_of, verify
from replication.engine.storage import load_array, replacing, save_array
from unveil.errors import UnveilError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A sealed file of twenty bytes."""
    path = tmp_path / "results" / "x.csv"
    with replacing(path) as draft:
        draft.write_bytes(bytes(range(20)))
    return path


def test_a_seal_is_a_line_of_b2sum_and_comes_first(file: Path) -> None:
    expected = f"{hashlib.blake2b(bytes(range(20))).hexdigest()}  x.csv\n"
    assert seal_of(file).read_text(encoding="utf-8") == expected
    assert file.stat().st_mtime_ns <= seal_of(file).stat().st_mtime_ns
    verify(file)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=24))
def test_other_bytes_are_refused(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    if content != bytes(range(20)):
        with pytest.raises(UnveilError, match=r"x\.csv is damaged \(.*\); delete it and run again, or"):
            verify(file)
    file.write_bytes(bytes(range(20)))
    verify(file)


def test_half_a_seal_is_refused_but_none_is_a_wish(file: Path) -> None:
    whole = seal_of(file).read_bytes()
    for part in (whole[:-1], whole[:50], b"", b"\xff" + whole[1:]):
        seal_of(file).write_bytes(part)
        with pytest.raises(UnveilError, match="damaged"):
            verify(file)
    seal_of(file).unlink()
    file.write_bytes(b"an edit of one's own")
    verify(file)


def test_the_header_of_an_array_is_sealed_too(tmp_path: Path) -> None:
    """Fortran order instead of C order is a valid header of the same length, and another array."""
    path = tmp_path / "x.npy"
    save_array(path, np.arange(9.0).reshape(3, 3))
    content = path.read_bytes()
    path.write_bytes(content.replace(b"'fortran_order': False", b"'fortran_order': True "))
    assert not np.array_equal(np.load(path), np.arange(9.0).reshape(3, 3))
    with pytest.raises(UnveilError, match="damaged"):
        load_array(path)


def test_the_start_of_a_run_compares_what_was_changed_later(file: Path) -> None:
    check_changes([file.parent])
    before = file.stat()
    file.write_bytes(b"other")
    later = seal_of(file).stat().st_mtime_ns + 1
    os.utime(file, ns=(later, later))
    with pytest.raises(UnveilError, match="damaged"):
        check_changes([file.parent])
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    check_changes([file.parent])  # only a comparison of everything sees this
    assert main([str(file.parent)]) == 1


def test_a_copy_with_new_times_is_as_good(file: Path) -> None:
    later = seal_of(file).stat().st_mtime_ns + 1
    os.utime(file, ns=(later, later))
    check_changes([file.parent])


def test_what_was_compared_is_compared_again_only_when_it_changes(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snakemake touches every file that a job makes, and a run may have gigabytes of them."""
    compared: list[Path] = []

    def noted(path: Path) -> str:
        compared.append(path)
        return digest(path)

    monkeypatch.setattr("replication.engine.seal.digest", noted)
    later = seal_of(file).stat().st_mtime_ns + 1
    os.utime(file, ns=(later, later))
    for _ in range(3):
        check_changes([file.parent])
    assert compared == [file]
    file.write_bytes(bytes(range(1, 21)))
    os.utime(file, ns=(later + 1, later + 1))  # its own time may be as coarse as the clock's
    with pytest.raises(UnveilError, match="damaged"):
        check_changes([file.parent])


def test_a_date_in_the_future_is_named_with_its_remedy(file: Path) -> None:
    os.utime(file, (time.time() + 3600,) * 2)
    with pytest.raises(UnveilError, match=r"^/.*results/x\.csv is dated in the future.*`find .*results -newermt now"):
        check_changes([file.parent])


def test_the_remedy_of_a_future_date_can_be_run_as_it_stands(file: Path) -> None:
    """`find` would fail on a folder that no run has made yet."""
    os.utime(file, (time.time() + 3600,) * 2)
    with pytest.raises(UnveilError) as refused:
        check_changes([file.parent, file.parent.with_name("not made yet")])
    subprocess.run(str(refused.value).split("`")[1], shell=True, check=True)  # noqa: S602
    check_changes([file.parent])


def test_all_files_are_compared_and_the_damaged_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("y.csv", "z.csv"):
        other = file.with_name(name)
        other.write_bytes(b"1")
        seal(other, other)
    assert main([str(file.parent)]) == 0
    assert capsys.readouterr().out == "all 3 files are as they were written\n"
    for name in ("y.csv", "z.csv"):
        file.with_name(name).write_bytes(b"2")
    assert main([str(file.parent)]) == 1
    said = capsys.readouterr().err
    assert f"{file.with_name('y.csv')} is damaged" in said
    assert f"{file.with_name('z.csv')} is damaged" in said
    assert said.endswith("\nto delete them, and have them made anew by the next run: make repair\n")
    assert "x.csv" not in said
    assert main(["--repair", str(file.parent)]) == 0
    assert sorted(path.name for path in file.parent.iterdir()) == [".x.csv.b2", "x.csv"]


def test_a_raw_file_of_the_future_gets_the_same_advice(tmp_path: Path) -> None:
    provenance = tmp_path / "raw" / "toy" / "provenance.json"
    provenance.parent.mkdir(parents=True)
    provenance.write_text("{}")
    check_changes([], raw=tmp_path / "raw")
    os.utime(provenance, (time.time() + 3600,) * 2)
    with pytest.raises(UnveilError, match=r"dated in the future.*`find .*raw -newermt now"):
        check_changes([], raw=tmp_path / "raw")
