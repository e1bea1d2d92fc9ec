"""The run lock within one process: two openings of a file stand for two processes, as the kernel tells locks apart."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from replication.engine import runs
from unveil.errors import UnveilError

ELSEWHERE = "another-host 123 456"


class Ended(BaseException):
    """Where the process would end."""


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No run of ours, none of its locks after the test, and an end that can be caught."""

    def end(code: int) -> None:
        raise Ended(code)

    for name in ("UNVEIL_RUN", "UNVEIL_RUN_FOLDER"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(os, "_exit", end)
    held = len(runs._held)
    yield
    while len(runs._held) > held:
        runs._held.pop().close()


class Watcher:
    """In place of the thread that follows the run."""

    def __init__(self, target: Callable[[], None], daemon: bool) -> None:
        assert daemon, "a job would not end before its run does"
        self.target, self.started = target, False
        Watcher.last = self

    def start(self) -> None:
        self.started = True

    last: Watcher


@pytest.fixture
def periods(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was slept; nobody waits."""
    slept: list[float] = []
    monkeypatch.setattr(threading, "Thread", Watcher)
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


def own_token() -> str:
    return f"{socket.gethostname()} {os.getpid()} {runs._birth(os.getpid())}"


def locked(path: Path, kind: int = fcntl.LOCK_EX) -> bool:
    """Whether somebody holds a lock that excludes one of that kind."""
    with path.open("a") as other:
        try:
            fcntl.flock(other, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_a_claim_says_whose_the_folder_is_and_keeps_only_the_run_lock(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    runs.claim_folder(folder)
    assert (folder / "run").read_text(encoding="utf-8") == own_token() == os.environ["UNVEIL_RUN"]
    assert sorted(path.name for path in folder.iterdir()) == ["jobs.lock", "run", "run.lock"]
    assert locked(folder / "run.lock", fcntl.LOCK_SH)
    assert not locked(folder / "jobs.lock")


def test_a_claim_is_known_before_it_waits_for_jobs(tmp_path: Path, periods: list[float]) -> None:
    """Jobs on other hosts end because of it, and so the waiting does."""
    with (tmp_path / "jobs.lock").open("a") as job:
        fcntl.flock(job, fcntl.LOCK_SH)
        with pytest.raises(UnveilError) as refused:
            runs.claim_folder(tmp_path, patience=0.0)
    assert str(refused.value) == "jobs of an earlier run are still at work in this folder; stop them"
    assert (tmp_path / "run").read_text(encoding="utf-8") == own_token()
    assert "UNVEIL_RUN" not in os.environ
    assert periods == []


def test_a_claim_waits_until_the_last_job_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept = []
    with (tmp_path / "jobs.lock").open("a") as job:
        fcntl.flock(job, fcntl.LOCK_SH)

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            if len(slept) == 2:
                job.close()

        monkeypatch.setattr(time, "sleep", sleep)
        runs.claim_folder(tmp_path)
    assert slept == [0.1, 0.1]


def test_a_second_claim_is_refused_at_once(tmp_path: Path, periods: list[float]) -> None:
    runs.claim_folder(tmp_path)
    (tmp_path / "run").write_text("the first one's", encoding="utf-8")
    with pytest.raises(UnveilError) as refused:
        runs.claim_folder(tmp_path)
    assert str(refused.value) == "another run is at work in this folder; wait for it to end or stop it"
    assert (tmp_path / "run").read_text(encoding="utf-8") == "the first one's"
    assert periods == []


def test_patience_ends_when_its_time_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]

    def sleep(seconds: float) -> None:
        now[0] += 0.5

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", sleep)
    with (tmp_path / "log").open("a") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        with pytest.raises(UnveilError) as refused:
            runs.only_attempt(tmp_path / "log", patience=2.0)
    assert now == [102.0]
    assert str(refused.value) == "an earlier attempt of this job is still at work; wait for it or stop it"


def test_an_earlier_attempt_has_half_a_minute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += 0.5

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", sleep)
    with (tmp_path / "log").open("a") as first:
        fcntl.flock(first, fcntl.LOCK_EX)
        with pytest.raises(UnveilError, match="earlier attempt"):
            runs.only_attempt(tmp_path / "log")
    assert now == [30.0]


def test_an_attempt_keeps_its_log_and_its_lock(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("what was said before\n", encoding="utf-8")
    runs.only_attempt(tmp_path / "log", patience=0.0)
    assert locked(tmp_path / "log", fcntl.LOCK_SH)
    assert (tmp_path / "log").read_text(encoding="utf-8") == "what was said before\n"


@pytest.mark.parametrize(("token", "period"), [(ELSEWHERE, 2.0), (None, 0.25)], ids=["elsewhere", "near"])
def test_a_job_joins_with_others_and_follows_its_run(
    tmp_path: Path, periods: list[float], monkeypatch: pytest.MonkeyPatch, token: str | None, period: float
) -> None:
    """Nearer runs are asked for more often."""
    monkeypatch.setenv("UNVEIL_RUN", token or own_token())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").parent.mkdir(exist_ok=True)
    folder = Path("state", "of", "runs")
    folder.mkdir(parents=True)
    (folder / "run").write_text(token or own_token(), encoding="utf-8")
    runs.join_run(folder)
    runs.join_run(folder)
    assert os.environ["UNVEIL_RUN_FOLDER"] == str(tmp_path / folder)
    assert locked(folder / "jobs.lock")
    assert not locked(folder / "jobs.lock", fcntl.LOCK_SH)
    assert Watcher.last.started
    answers = iter([True, True, False])
    monkeypatch.setattr(runs, "run_is_alive", lambda: next(answers))
    with pytest.raises(Ended) as ended:
        Watcher.last.target()
    assert ended.value.args == (1,)
    assert periods == [period] * 3


def test_a_job_whose_run_is_over_does_not_start(
    tmp_path: Path, periods: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNVEIL_RUN", ELSEWHERE)
    with pytest.raises(UnveilError) as refused:
        runs.join_run(tmp_path / "not" / "made")
    assert str(refused.value) == "the run that started this job is over"


def test_a_job_waits_twenty_seconds_for_a_run_that_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += 5.0

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", sleep)
    with (tmp_path / "jobs.lock").open("a") as run:
        fcntl.flock(run, fcntl.LOCK_EX)
        with pytest.raises(UnveilError) as refused:
            runs.join_run(tmp_path)
    assert now == [20.0]
    assert str(refused.value) == "a new run is starting in this folder"


def test_what_is_known_of_a_run_far_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert runs.run_is_alive()  # a stage that is started by hand
    monkeypatch.setenv("UNVEIL_RUN", ELSEWHERE)
    assert runs.run_is_alive()  # before it has joined
    monkeypatch.setenv("UNVEIL_RUN_FOLDER", str(tmp_path))
    assert not runs.run_is_alive()  # the folder is nobody's
    for owner, alive in ((ELSEWHERE, True), ("another-host 9 9", False), ("", False)):
        (tmp_path / "run").write_text(owner, encoding="utf-8")
        assert runs.run_is_alive() is alive
    (tmp_path / "run").unlink()
    (tmp_path / "run").mkdir()  # cannot be read: that is no reason to end
    assert runs.run_is_alive()


def test_what_is_known_of_a_run_on_this_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its process tells, whatever the folder says; a number that another process has by now does not."""
    monkeypatch.setenv("UNVEIL_RUN_FOLDER", str(tmp_path))
    monkeypatch.setenv("UNVEIL_RUN", own_token())
    runs.require_run()
    monkeypatch.setenv("UNVEIL_RUN", f"{socket.gethostname()} {os.getpid()} 12")
    assert not runs.run_is_alive()
    with pytest.raises(Ended) as ended:
        runs.require_run()
    assert ended.value.args == (1,)


def test_the_birth_of_a_process(tmp_path: Path) -> None:
    """Also of one whose name looks like the fields that follow it; a dead one that nobody has asked for has none."""
    odd = tmp_path / "é) Z 1 ("
    shutil.copy(str(shutil.which("sleep")), odd)
    with subprocess.Popen([odd, "60"]) as process:
        fields = Path(f"/proc/{process.pid}/stat").read_bytes().rpartition(b")")[2].split()
        assert runs._birth(process.pid) == fields[19].decode()
        process.kill()
        deadline = time.monotonic() + 10
        while runs._birth(process.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert runs._birth(process.pid) == ""  # not waited for yet: a zombie
    assert runs._birth(process.pid) == ""


def test_without_proc_a_process_is_alive_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def kill(pid: int, signal: int) -> None:
        asked.append((pid, signal))
        if pid != 7:
            raise ProcessLookupError(errno.ESRCH, "no such process")

    monkeypatch.setattr(Path, "exists", lambda path: str(path) != "/proc/self")
    monkeypatch.setattr(os, "kill", kill)
    assert (runs._birth(7), runs._birth(8)) == ("alive", "")
    assert asked == [(7, 0), (8, 0)]


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EIO])
def test_a_file_system_without_locks_is_no_error_but_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    given: list[Any] = []

    def refuse(file: Any, _: int) -> None:
        given.append(file)
        raise OSError(number, "as it is")

    monkeypatch.setattr(fcntl, "flock", refuse)
    if number == errno.EIO:
        with pytest.raises(OSError, match="as it is"):
            runs.only_attempt(tmp_path / "log")
        assert given[0].closed
    else:
        runs.only_attempt(tmp_path / "log")
        assert not given[0].closed
