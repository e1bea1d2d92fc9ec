"""Which run a job follows, on the run's own host and away from it, and what it does when that run is over."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from replication.engine import runs
from unveil.errors import UnveilError

#: Holds the folder until its input ends.
_RUN = """
import os, sys
from pathlib import Path
from replication.engine.runs import claim_folder
claim_folder(Path("run"))
print(os.environ["UNVEIL_RUN"], flush=True)
sys.stdin.read()
"""
#: Joins the run that the environment names, says so, and works until it is ended.
_JOB = """
import sys, time
from pathlib import Path
from replication.engine.runs import join_run, require_run
join_run(Path("run"))
print("joined", flush=True)
time.sleep(float(sys.argv[1]))
require_run()
print("done", flush=True)
"""
ELSEWHERE = "another-host 123 456"
HERE = f"{socket.gethostname()} 123 456"


def start(folder: Path, program: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def start_job(folder: Path, run: str, seconds: float = 60.0) -> subprocess.Popen[str]:
    return start(folder, _JOB, str(seconds), UNVEIL_RUN=run)


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No run of ours, and none of its locks after the test."""
    monkeypatch.setenv("UNVEIL_RUN", "")
    monkeypatch.delenv("UNVEIL_RUN")
    held = len(runs._held)
    yield
    runs._joined.clear()
    while len(runs._held) > held:
        runs._held.pop().close()


def test_a_killed_run_takes_its_jobs_along_and_the_next_one_starts(tmp_path: Path) -> None:
    with start(tmp_path, _RUN) as run, start_job(tmp_path, name := line_of(run)) as job:
        assert line_of(job) == "joined"
        with pytest.raises(UnveilError, match="another run is at work in this folder; wait for it to end or stop"):
            runs.claim_folder(tmp_path / "run", patience=0.0)
        assert (tmp_path / "run").read_text(encoding="utf-8") == name
        run.kill()
        assert job.wait(timeout=10) == 1
    runs.claim_folder(tmp_path / "run")
    assert (tmp_path / "run").read_text(encoding="utf-8") == os.environ["UNVEIL_RUN"]


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
        runs.claim_folder(tmp_path / "run")
        assert job.wait(timeout=10) == 1
        assert line_of(job) == ""


@pytest.mark.parametrize(
    ("owner", "name"),
    [("another-host 9 9", ELSEWHERE), (None, ELSEWHERE), (HERE, HERE)],
    ids=["a later run's", "nobody's", "a dead run's"],
)
def test_a_job_that_starts_when_the_folder_is_not_its_runs_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: str | None, name: str
) -> None:
    if owner:
        (tmp_path / "run").write_text(owner, encoding="utf-8")
    monkeypatch.setenv("UNVEIL_RUN", name)
    with pytest.raises(UnveilError, match="the run that started this job is over"):
        runs.join_run(tmp_path / "run")


def test_an_orphan_ends_before_its_result_takes_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    runs.require_run()  # a stage that is started by hand
    (tmp_path / "run").write_text(ELSEWHERE, encoding="utf-8")
    monkeypatch.setenv("UNVEIL_RUN", ELSEWHERE)
    runs.join_run(tmp_path / "run")
    runs.require_run()
    assert ended == []
    (tmp_path / "run").write_text("another-host 9 9", encoding="utf-8")
    runs.require_run()
    assert ended == [1]


def test_two_attempts_of_a_job_never_work_at_once(tmp_path: Path) -> None:
    runs.hold_attempt(tmp_path / "log")
    with pytest.raises(UnveilError, match="an earlier attempt of this job"):
        runs.hold_attempt(tmp_path / "log", patience=0.0)
    for _ in range(2):
        runs._held.pop().close()
    runs.hold_attempt(tmp_path / "log", patience=0.0)


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EIO])
def test_a_file_system_without_locks_is_no_error_but_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, "as it is")

    monkeypatch.setattr(fcntl, "flock", refuse)
    if number == errno.EIO:
        with pytest.raises(OSError, match="as it is"):
            runs.claim_folder(tmp_path / "run")
    else:
        runs.claim_folder(tmp_path / "run")
        runs.join_run(tmp_path / "run")
        assert not runs.run_is_over()
