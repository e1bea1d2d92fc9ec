"""Keeping runs and jobs out of each other's way.

A run holds the file `RUN` locked for as long as it lives, and writes its own name into it. The kernel drops the lock
when the run is killed, so nothing is left to unlock by hand. Its jobs look at the file every now and then, and right
before a result takes its place: a job whose run is over ends.
"""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import threading
import time
from pathlib import Path
from typing import IO

from unveil.errors import UnveilError

#: Below the folder of a run; absolute once a job has joined, for its code may go elsewhere.
RUN = Path(".snakemake", "unveil", "run")

_NAME = "UNVEIL_RUN"
_WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_held: list[IO[str]] = []
_joined: list[Path] = []


def is_job() -> bool:
    """Whether this process was started by a run."""
    return _NAME in os.environ


def claim_folder(file: Path = RUN, patience: float = 1.0) -> None:
    """Take the folder for this run, or refuse where another is alive; an earlier one's jobs end by themselves."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = _lock(file, patience, "another run is at work in this folder; wait for it to end or stop it")
    name = f"{socket.gethostname()} {os.getpid()} {time.time_ns()}"
    lock.truncate(0)
    lock.write(name)
    lock.flush()
    os.environ[_NAME] = name


def join_run(file: Path = RUN) -> None:
    """End this job, now or later, when the run that started it is over."""
    _joined[:] = [file.absolute()]
    if run_is_over():
        raise UnveilError("the run that started this job is over")
    period = 0.5 if _is_near() else 2.0

    def follow() -> None:
        while True:
            time.sleep(period)
            require_run()

    threading.Thread(target=follow, daemon=True).start()


def require_run() -> None:
    """End this job if it is an orphan: called right before a result takes its place."""
    if run_is_over():
        os._exit(1)


def run_is_over() -> bool:
    """Whether the folder is another run's by now, or, on the run's own host, nobody's.

    Opening a file makes a network file system ask its server, so the answer is not one of a cache.
    """
    if not is_job() or not _joined:
        return False  # a stage that was started by hand
    try:
        with _joined[0].open(encoding="utf-8") as file:
            if file.read() != os.environ[_NAME]:
                return True
            if _is_near():  # not every network file system passes locks on to other hosts
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                return True
    except OSError as error:
        return isinstance(error, FileNotFoundError)
    return False


def hold_attempt(log: Path, patience: float = 30.0) -> None:
    """Hold the job's log alone, so that no two attempts of one job ever write the same result.

    When a cluster loses sight of a node, the job is tried again elsewhere while the first attempt may still live.
    """
    _lock(log, patience, "an earlier attempt of this job is still at work; wait for it or stop it")


def _is_near() -> bool:
    """Whether the run lives on this host."""
    return os.environ.get(_NAME, "").partition(" ")[0] == socket.gethostname()


def _lock(path: Path, patience: float, refusal: str) -> IO[str]:
    """Lock a file for as long as this process lives."""
    file = path.open("a", encoding="utf-8")
    _held.append(file)
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise UnveilError(refusal) from None
            time.sleep(0.1)
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:  # then what the file says alone tells runs apart
                raise
            return file
        else:
            return file
