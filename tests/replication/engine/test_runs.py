"""Which run a job follows, on the run's own host and away from it, and what it does when that run is over."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from replication.engine import runs
from unveil.errors import UnveilError

#: Joins the run that the environment names, says so, and works until it is ended.
_JOB = """
import sys, time
from pathlib import Path
from replication.engine.runs import join_run, require_run
join_run(Path(sys.argv[1]))
print("joined", flush=True)
time.sleep(float(sys.argv[2]))
require_run()
print("done", flush=True)
"""
ELSEWHERE = "another-host 123 456"


def start_job(folder: Path, run: str, seconds: float = 60.0) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _JOB, str(folder), str(seconds)],
        env={**os.environ, "UNVEIL_RUN": run},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def line_of(job: subprocess.Popen[str]) -> str:
    assert job.stdout is not None
    return job.stdout.readline().strip()


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> Any:
    """No run of ours, and none of its locks after the test."""
    for name in ("UNVEIL_RUN", "UNVEIL_RUN_FOLDER"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    held = len(runs._held)
    yield
    while len(runs._held) > held:
        runs._held.pop().close()


@pytest.mark.slow
def test_a_job_on_another_host_works_on_while_its_run_owns_the_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(ELSEWHERE, encoding="utf-8")
    with start_job(tmp_path, ELSEWHERE, 3.0) as job:
        assert [line_of(job), line_of(job)] == ["joined", "done"]
    assert job.returncode == 0


@pytest.mark.slow
def test_a_job_on_another_host_makes_way_for_the_next_run(tmp_path: Path) -> None:
    (tmp_path / "run").write_text(ELSEWHERE, encoding="utf-8")
    with start_job(tmp_path, ELSEWHERE) as job:
        assert line_of(job) == "joined"
        runs.claim_folder(tmp_path)  # waits for the job's lock, which only the job's end frees
        assert job.wait(timeout=10) == 1
        assert line_of(job) == ""


@pytest.mark.parametrize("owner", ["another-host 9 9", None], ids=["a later run", "no run"])
def test_a_job_that_starts_after_its_run_does_nothing(tmp_path: Path, owner: str | None) -> None:
    if owner:
        (tmp_path / "run").write_text(owner, encoding="utf-8")
    job = start_job(tmp_path, ELSEWHERE)
    _, said = job.communicate(timeout=60)
    assert job.returncode == 1
    assert "the run that started this job is over" in said


def test_a_job_on_the_same_host_follows_the_process(tmp_path: Path) -> None:
    run = subprocess.Popen(["sleep", "60"])
    token = f"{socket.gethostname()} {run.pid} {runs._birth(run.pid)}"
    (tmp_path / "run").write_text(token, encoding="utf-8")
    with start_job(tmp_path, token) as job:
        assert line_of(job) == "joined"
        run.kill()
        run.wait()
        assert job.wait(timeout=10) == 1


def test_a_second_run_is_refused_and_leaves_the_first_ones_mark(tmp_path: Path) -> None:
    runs.claim_folder(tmp_path)
    first = (tmp_path / "run").read_text(encoding="utf-8")
    assert first == os.environ["UNVEIL_RUN"]
    with pytest.raises(UnveilError, match="another run is at work"):
        runs.claim_folder(tmp_path)
    assert (tmp_path / "run").read_text(encoding="utf-8") == first


def test_two_attempts_of_a_job_never_work_at_once(tmp_path: Path) -> None:
    runs.only_attempt(tmp_path / "log")
    with pytest.raises(UnveilError, match="an earlier attempt of this job"):
        runs.only_attempt(tmp_path / "log", patience=0.0)
    runs._held.pop().close()
    runs.only_attempt(tmp_path / "log", patience=0.0)


def test_a_file_system_without_locks_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSYS, "no locks")

    monkeypatch.setattr(fcntl, "flock", refuse)
    runs.claim_folder(tmp_path)
    assert runs.run_is_alive()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Records as Snakemake keeps them, from when the folder had another name."""
    path = tmp_path / "metadata.db"
    with closing(sqlite3.connect(path)) as records, records:
        for table in ("metadata", "locks", "persistence_db_settings"):
            records.execute(f"CREATE TABLE snakemake_{table} (namespace TEXT)")
            records.execute(f"INSERT INTO snakemake_{table} VALUES (?)", ("/where/it/was",))  # noqa: S608
    return path


def test_records_follow_their_folder(database: Path) -> None:
    runs.settle_records(database)
    with closing(sqlite3.connect(database)) as records:
        assert records.execute("SELECT * FROM snakemake_metadata").fetchall() == [(str(database.parent),)]


@pytest.mark.parametrize("content", [b"\xff\x00{", b"SQLite format 3\x00" + bytes(100)])
def test_records_that_cannot_be_read_stop_the_run_in_one_line(database: Path, content: bytes) -> None:
    database.write_bytes(content)
    with pytest.raises(UnveilError, match=r"metadata\.db.* is damaged .*; run `make clean`"):
        runs.settle_records(database)


def test_records_that_can_be_read_and_are_not_whole(database: Path) -> None:
    """A rule of a table's own that a row breaks."""
    with closing(sqlite3.connect(database)) as records, records:
        records.execute("PRAGMA ignore_check_constraints = ON")
        records.execute("CREATE TABLE more (x CHECK (x > 0))")
        records.execute("INSERT INTO more VALUES (-1)")
    with pytest.raises(UnveilError, match=r"metadata\.db.* is damaged \(it is not whole\); run `make clean`"):
        runs.settle_records(database)


def test_before_the_first_run_there_are_no_records(tmp_path: Path) -> None:
    runs.settle_records(tmp_path / "metadata.db")
    assert list(tmp_path.iterdir()) == []
